import type { Flag, VerdictCode } from '@touchstone402/shared'
import type { ComponentChildren } from 'preact'
import { describeOverruled } from './score.tsx'
import { VerdictMark } from './verdictMark.tsx'

type VerdictPanelProps = {
  readonly verdict: VerdictCode
  readonly score?: number | null
  readonly overruledBy?: readonly Flag[]
  /** Shown below a score that is not overruled. @default the scale of the score, or that there is none */
  readonly note?: string
  /** Subject of the verdict, used as the heading of the page or section. */
  readonly subject: ComponentChildren
  readonly isPage?: boolean
  readonly label: string
  readonly sentence: string
  /** One line of details. */
  readonly details?: ComponentChildren
  readonly children?: ComponentChildren
}

/** A verdict at a glance: score, subject, verdict and one sentence. */
export function VerdictPanel({
  verdict,
  score = null,
  overruledBy = [],
  subject,
  isPage = false,
  ...props
}: VerdictPanelProps) {
  const overruled = describeOverruled({ verdict, trustScore: score, overruledBy: [...overruledBy] })
  const note =
    overruled === null ? (props.note ?? (score === null ? 'no score' : 'of 100')) : 'score overruled'
  return (
    <section class={`panel hero v-${verdict}`} aria-labelledby="host">
      <div class="plate">
        <VerdictMark verdict={verdict} />
        {score !== null && overruled === null && <span class="score">{score}</span>}
        <span class="of">{note}</span>
      </div>
      <div class="says">
        {isPage ? <h1 id="host">{subject}</h1> : <h2 id="host">{subject}</h2>}
        <p class="verdict">
          {props.label}
          {overruled !== null && <span class="small muted"> ({overruled})</span>}
        </p>
        <p class="sentence">{props.sentence}</p>
        {props.details && <p class="asof">{props.details}</p>}
      </div>
      {props.children}
    </section>
  )
}
