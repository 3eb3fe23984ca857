import {
  FLAG_RECORDS,
  FLAGS,
  type Flag,
  isFlag,
  VERDICT_LABELS,
  type VerdictCode,
} from '@touchstone402/shared'
import type { ComponentChildren } from 'preact'
import { bandOf } from '../../judge/score.ts'
import { isOverruled } from '../../publish/overruled.ts'
import { Measured } from './prose.tsx'

/** Outlines of the symbols; verdicts differ by them as well as by colour. */
const SYMBOLS = {
  safe: ['M12 1.5 21 5v6.6c0 5-3.6 9-9 10.9-5.4-1.9-9-5.9-9-10.9V5z', 'm7.6 12.1 3.1 3.1 5.8-6.3'],
  caution: [
    'M10.3 2.9a2 2 0 0 1 3.4 0l8.7 15.2a2 2 0 0 1-1.7 3H3.3a2 2 0 0 1-1.7-3z',
    'M12 8.5v5.2m0 3.6v.1',
  ],
  avoid: ['M7.7 1.5h8.6l6.2 6.2v8.6l-6.2 6.2H7.7l-6.2-6.2V7.7z', 'm8 8 8 8m0-8-8 8'],
  unknown: [
    'M12 2.2a9.8 9.8 0 1 1 0 19.6a9.8 9.8 0 1 1 0-19.6z',
    'M9.3 9.3a2.8 2.8 0 1 1 4.1 2.5c-.9.5-1.4 1-1.4 2m0 3.1v.1',
  ],
  info: ['M12 2.2a9.8 9.8 0 1 1 0 19.6a9.8 9.8 0 1 1 0-19.6z', 'M12 11.2v5.6m0-9.6v.1'],
} as const

/** The symbols that marks refer to, once per page. */
export function MarkSprite() {
  return (
    <svg aria-hidden="true" width="0" height="0">
      {Object.entries(SYMBOLS).map(([name, [outline, sign]]) => (
        <symbol id={`m-${name}`} viewBox="0 0 24 24">
          <path d={outline} class="outline" />
          <path d={sign} class="sign" />
        </symbol>
      ))}
    </svg>
  )
}

/** A symbol in the colour of a verdict. Hidden from screen readers, so its meaning must also appear in words. */
export function VerdictMark({ verdict }: { verdict: VerdictCode | 'info' }) {
  return (
    <svg class={`mark v-${verdict}`} aria-hidden="true">
      <use href={`#m-${verdict}`} />
    </svg>
  )
}

/** Severities by the risk that they stand for, with the mark and colour that both have wherever they appear. */
const SEVERITIES = {
  critical: { risk: 'high', mark: 'avoid' },
  warn: { risk: 'medium', mark: 'caution' },
  info: { risk: 'low', mark: 'info' },
} as const

export type Severity = keyof typeof SEVERITIES

/** The mark of a severity. */
export const markOf = (severity: Severity) => SEVERITIES[severity].mark

/** Names the risk of a severity: `high risk`. */
export const describeRisk = (severity: Severity) => `${SEVERITIES[severity].risk} risk`

type FindingProps = {
  readonly severity: Severity
  readonly title: ComponentChildren
  readonly children: ComponentChildren
}

/** A finding under its title, in the colour of its severity. */
export function FindingCard({ severity, title, children }: FindingProps) {
  const verdict = markOf(severity)
  return (
    <article class={`finding v-${verdict}`}>
      <h3>
        <VerdictMark verdict={verdict} />
        {title}
      </h3>
      {children}
    </article>
  )
}

/** The code of a finding; that of a flag leads to its rule. */
export function FindingCode({ code }: { readonly code: string }) {
  const chip = <code class="chip">{code}</code>
  return isFlag(code) ? <a href={`/methodology#flag-${code}`}>{chip}</a> : chip
}

/** Symbol and name of a verdict, for tables and lists. */
export function VerdictTag({ verdict }: { verdict: VerdictCode }) {
  return (
    <span class={`tag v-${verdict}`}>
      <VerdictMark verdict={verdict} />
      {VERDICT_LABELS[verdict]}
    </span>
  )
}

/** A verdict with its score, and the flags that overrule that. */
export type Judged = {
  readonly verdict: VerdictCode
  readonly score: number | null
  readonly overruledBy: readonly Flag[]
}

/** Returns the score that may stand beside a verdict; null where the verdict is worse than it, or avoid. */
export function shownScore({ verdict, score }: Omit<Judged, 'overruledBy'>): number | null {
  return verdict === 'avoid' || isOverruled(verdict, score) ? null : score
}

/** Joins a verdict and its score, or what overrules that: `Safe to pay 95`, `Caution: its receiver has never been paid`. */
export function describeScored(judged: Judged): string {
  const label = VERDICT_LABELS[judged.verdict]
  const worst = FLAGS.findLast((flag) => judged.overruledBy.includes(flag))
  if (worst !== undefined) return `${label}: ${inSentence(FLAG_RECORDS[worst].sentence)}`
  const score = shownScore(judged)
  return score === null ? label : `${label} ${score}`
}

/** A sentence or a name as a part of another sentence. */
const inSentence = (text: string) =>
  text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()).replace(/\.$/, '')

/** Describes a score as evidence: its band, and in words what overrules it. */
export function describeBand({ verdict, score, overruledBy }: Judged): string {
  if (score === null) return ''
  const names = overruledBy.map((flag) => inSentence(FLAG_RECORDS[flag].name))
  return isOverruled(verdict, score)
    ? `, overruled by: ${names.join('; ') || 'what was found below'}`
    : `, ${bandOf(score)}`
}

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
  const { verdict, score } = judged
  return (
    <section class={`panel hero v-${verdict}`} aria-labelledby="host">
      <div class="plate">
        <VerdictMark verdict={verdict} />
        <p class="verdict">{VERDICT_LABELS[verdict]}</p>
        {score !== null && (
          <p class="of">
            score <span class="score">{score}</span> of 100{describeBand(judged)}
          </p>
        )}
      </div>
      <div class="says">
        <h1 id="host">{subject}</h1>
        <p class="sentence">
          <Measured text={sentence} max={MAX_SENTENCE} />
        </p>
        {details && <p class="asof">{details}</p>}
      </div>
      {children}
    </section>
  )
}
