import { breakDownScore, type ScorePart, scoreInputOf } from '../../domain/judge/scoreParts.ts'
import type { ProfileView } from './loadProfile.ts'

/** How the score of the endpoint in focus adds up. */
export function ScoreSum({ view }: { view: ProfileView }) {
  const { score, state } = view.focus
  const parts = breakDownScore(scoreInputOf(state))
  if (score === null || parts === null) return null
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
          {parts.map((part) => (
            <PartRow part={part} found={describeFound(part, view)} />
          ))}
          <tr class="total">
            <th scope="row">Score, {state.band}</th>
            <td class="end points">{score}</td>
          </tr>
        </tbody>
      </table>
    </section>
  )
}

function PartRow({ part: { name, points, range }, found }: { part: ScorePart; found: string }) {
  return (
    <tr>
      <th scope="row">
        {name}
        <span class="sub">{found}</span>
      </th>
      <td class={points < 0 ? 'end points minus' : 'end points'}>
        {signed(points)}
        {range !== null && <span class="sub">{describeRange(range)}</span>}
      </td>
    </tr>
  )
}

/** What was found, and of the receiver also what it rests on. */
function describeFound({ factor, evidence }: ScorePart, { receiver }: ProfileView): string {
  return factor === 'receiver' && evidence !== 'blank' && receiver !== undefined
    ? `${evidence}: ${receiver.receipts90d} receipts of ${receiver.payers90d} payers in 90 days`
    : evidence
}

const describeRange = ({ min, max }: { min: number; max: number }) =>
  min === 0 ? `of ${signed(max)}` : max === 0 ? `of ${signed(min)}` : `${signed(min)} to ${signed(max)}`

const signed = (points: number) => (points > 0 ? `+${points}` : points < 0 ? `−${-points}` : '0')
