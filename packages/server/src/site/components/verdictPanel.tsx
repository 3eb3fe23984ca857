import { VERDICT_LABELS } from '@touchstone402/shared'
import type { ComponentChildren } from 'preact'
import { Measured } from './prose.tsx'
import { describeOverruled, type Judged, shownScore, VerdictMark } from './verdictMark.tsx'

const MAX_SENTENCE = 1000

type VerdictPanelProps = Judged & {
  /** Subject of the verdict, used as the heading of the page. */
  readonly subject: ComponentChildren
  readonly sentence: string
  /** One line of details. */
  readonly details?: ComponentChildren
  readonly children?: ComponentChildren
}

/** A verdict at a glance: score, subject, verdict and one sentence. */
export function VerdictPanel({ subject, sentence, details, children, ...judged }: VerdictPanelProps) {
  const { verdict } = judged
  const score = shownScore(judged)
  const overruled = describeOverruled(judged)
  return (
    <section class={`panel hero v-${verdict}`} aria-labelledby="host">
      <div class="plate">
        <VerdictMark verdict={verdict} />
        <p class="verdict">
          {VERDICT_LABELS[verdict]}
          <span class="small">{overruled}</span>
        </p>
        {score !== null && (
          <span class="of">
            <span class="score">{score}</span> of 100
          </span>
        )}
      </div>
      <div class="says">
        <h1 id="host">{subject}</h1>
        <p class="sentence">
          <Measured text={sentence} max={MAX_SENTENCE} />
        </p>
        <p class="asof">{details}</p>
      </div>
      {children}
    </section>
  )
}
