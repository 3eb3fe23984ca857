import { INCIDENT_CAPS, POINTS, SCORE_SPEC } from '../../../domain/spec.ts'
import { scoreUptime } from '../../../domain/uptime.ts'
import type { ProfileView } from './loadProfile.ts'

type Row = { readonly id: string; readonly found: string; readonly points: number }

/** How the score of the endpoint in focus adds up. */
export function ScoreSum({ view }: { view: ProfileView }) {
  const { score, state } = view.focus
  if (score === null || state.status !== 'live') return null
  const rows = listRows(view)
  const sum = rows.reduce((total, { points }) => total + points, 0)
  // The two small factors are published as their sum: it is what the rest leaves.
  const rest = score - sum
  const caps = view.facts.incidents
    .filter(({ status, endpoint }) => status === 'open' && endpoint === state.endpoint)
    .flatMap(({ kind }) => (INCIDENT_CAPS[kind] === undefined ? [] : [INCIDENT_CAPS[kind]]))
  const isCapped = caps.length > 0 && Math.min(...caps) === score
  return (
    <section class="panel" aria-labelledby="sum">
      <h2 id="sum">How the score adds up</h2>
      <table class="sum">
        <thead>
          <tr>
            <th scope="col">Factor</th>
            <th scope="col" class="end">
              Points
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, found, points }) => (
            <SumRow name={nameOf(id)} found={found} points={points} />
          ))}
          {isCapped ? (
            <SumRow name="Open incident" found="holds the score down" points={rest} />
          ) : (
            <SumRow
              name={`${nameOf('conformance')}, ${nameOf('priceStability').toLowerCase()}`}
              found="challenges that agree, declared input, price jumps"
              points={rest}
            />
          )}
          <tr class="total">
            <th scope="row">Score, {state.band}</th>
            <td class="end points">{score}</td>
          </tr>
        </tbody>
      </table>
    </section>
  )
}

function SumRow({ name, found, points }: { name: string; found: string; points: number }) {
  return (
    <tr>
      <th scope="row">
        {name}
        <span class="sub">{found}</span>
      </th>
      <td class={points < 0 ? 'end points minus' : 'end points'}>{signed(points)}</td>
    </tr>
  )
}

function listRows({ focus, receiver }: ProfileView): Row[] {
  const { receiverStability, receiverProfile, uptime } = focus.state
  const probes = uptime.up + uptime.down
  return [
    { id: 'live', found: 'answers with a valid challenge', points: POINTS.live },
    {
      id: 'stability',
      found: receiverStability ?? 'blank',
      points: receiverStability === null ? 0 : POINTS.stability[receiverStability],
    },
    {
      id: 'receiver',
      found:
        receiverProfile === null || receiver === undefined
          ? (receiverProfile ?? 'blank')
          : `${receiverProfile}: ${receiver.receipts90d} receipts of ${receiver.payers90d} payers in 90 days`,
      points: POINTS.receiver[receiverProfile ?? 'blank'],
    },
    {
      id: 'uptime',
      found: uptime.pct === null ? 'too few to state' : `${uptime.pct}% of ${probes} probes`,
      points: scoreUptime(uptime),
    },
  ]
}

const nameOf = (id: string) => SCORE_SPEC.factors.find((factor) => factor.id === id)?.name ?? id

const signed = (points: number) => (points > 0 ? `+${points}` : points < 0 ? `−${-points}` : '0')
