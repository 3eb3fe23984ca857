import { breakDownScore, type ScorePart, scoreInputOf, UNKNOWN } from '../../domain/judge/scoreParts.ts'
import { isOverruled } from '../../domain/publish/overruled.ts'
import { Panel } from '../components/panel.tsx'
import { formatPoints } from '../format.ts'
import type { ProfileView } from './loadProfile.ts'

/** Breakdown of the score of the endpoint in focus. */
export function ScoreSum({ view }: { view: ProfileView }) {
  const { score, state, verdict, overruledBy } = view.focus
  const parts = breakDownScore(scoreInputOf(state))
  if (score === null || parts === null) return null
  return (
    <Panel id="sum" title="How the score adds up">
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
            <tr>
              <th scope="row">
                {part.name}
                <span class="sub">{describeEvidence(part, view)}</span>
              </th>
              <td class={part.points < 0 ? 'end points minus' : 'end points'}>
                {formatPoints(part.points)}
                {part.range !== null && <span class="sub">{describeRange(part.range)}</span>}
              </td>
            </tr>
          ))}
          <tr class="total">
            <th scope="row">
              {isOverruled(verdict, score)
                ? `Evidence, overruled${overruledBy.length === 0 ? '' : ` by ${overruledBy.join(', ')}`}`
                : `Score, ${state.band}`}
            </th>
            <td class="end points">{score}</td>
          </tr>
        </tbody>
      </table>
    </Panel>
  )
}

/** Adds the receipts behind the category of a receiver. */
function describeEvidence({ factor, evidence }: ScorePart, { receiver }: ProfileView): string {
  return factor === 'receiver' && evidence !== UNKNOWN && receiver !== undefined
    ? `${evidence}: ${receiver.receipts90d} receipts from ${receiver.payers90d} payers in 90 days`
    : evidence
}

function describeRange({ min, max }: { min: number; max: number }): string {
  if (min === 0) return `of ${formatPoints(max)}`
  return max === 0 ? `of ${formatPoints(min)}` : `${formatPoints(min)} to ${formatPoints(max)}`
}
