import type { Flag, VerdictCode } from '@touchstone402/shared'
import type { ComponentChildren } from 'preact'
import { Measured } from './prose.tsx'
import { describeOverruled, shownScore, VerdictMark } from './verdictMark.tsx'

const MAX_SENTENCE = 1000

type VerdictPanelProps = {
  readonly verdict: VerdictCode
  readonly score?: number | null
  readonly overruledBy?: readonly Flag[]
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
  const shown = shownScore({ verdict, score })
  return (
    <section class={`panel hero v-${verdict}`} aria-labelledby="host">
      <div class="plate">
        <VerdictMark verdict={verdict} />
        <p class="verdict">
          {props.label}
          {overruled !== null && <span class="small"> ({overruled})</span>}
        </p>
        {shown !== null && (
          <span class="of">
            <span class="score">{shown}</span> of 100
          </span>
        )}
      </div>
      <div class="says">
        {isPage ? <h1 id="host">{subject}</h1> : <h2 id="host">{subject}</h2>}
        <p class="sentence">
          <Measured text={props.sentence} max={MAX_SENTENCE} />
        </p>
        {props.details && <p class="asof">{props.details}</p>}
      </div>
      {props.children}
    </section>
  )
}
