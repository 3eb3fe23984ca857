import type { VerdictCode } from '@touchstone402/shared'
import type { ComponentChildren } from 'preact'
import { VerdictMark } from './verdictMark.tsx'

type VerdictPanelProps = {
  readonly verdict: VerdictCode
  readonly score?: number | null
  /** Shown below the score. @default the scale of the score, or that there is none */
  readonly note?: string
  /** Heading with the id `host`: what the verdict is about. */
  readonly heading: ComponentChildren
  readonly label: string
  readonly sentence: string
  readonly class?: string
  /** Details in one line. */
  readonly details?: ComponentChildren
  readonly children?: ComponentChildren
}

/** A verdict at a glance: score, subject, verdict and one sentence. */
export function VerdictPanel({
  verdict,
  score = null,
  heading,
  label,
  sentence,
  ...props
}: VerdictPanelProps) {
  const note = props.note ?? (score === null ? 'no score' : 'of 100')
  return (
    <section class={`panel hero ${props.class ?? ''} v-${verdict}`} aria-labelledby="host">
      <div class="plate">
        <VerdictMark verdict={verdict} />
        {score !== null && <span class="score">{score}</span>}
        <span class="of">{note}</span>
      </div>
      <div class="says">
        {heading}
        <p class="verdict">{label}</p>
        <p class="sentence">{sentence}</p>
        {props.details !== undefined && <p class="asof">{props.details}</p>}
      </div>
      {props.children}
    </section>
  )
}
