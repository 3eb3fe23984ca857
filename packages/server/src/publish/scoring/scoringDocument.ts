import { PUBLISHED_FLAGS } from '../../judge/flags.ts'
import { breakDownScore, type ScoreInput, sumParts, UNKNOWN } from '../../judge/scoreParts.ts'
import { BAND_RANGES, days, hours, LIMITS, SCORE_VERSION } from '../../judge/spec.ts'
import { ACCURACY_TEXTS } from '../accuracy/accuracyTexts.ts'
import { SCORE_SPEC } from '../scoreSpec.ts'
import { CONFIRMATION_RULES } from './confirmationTexts.ts'
import { CLIENT_RULES, RECOURSE } from './scoringTexts.ts'

/** Builds `docs/scoring.md` from the specification. */
export function buildScoringDocument(): string {
  return `${[
    `# How the score works (version ${SCORE_VERSION})`,
    'This page is generated from the specification in `packages/server/src/judge/spec.ts`, like `/trust-score.json`; a test checks that it is up to date.',
    'The **score** measures the good evidence. The **risk level** is the severity of the worst finding. The verdict follows the worse of the two. If flags decide against the score, answers name them in `overruledBy`; the score is then evidence, not a mark of quality.',
    '## The score of an endpoint',
    table(
      ['Factor', 'Points', 'When'],
      SCORE_SPEC.factors.map(({ name, min, max, when }) => [name, range(min, max), when]),
    ),
    combinations(),
    `An open incident caps the score: ${SCORE_SPEC.caps.map(({ incident, maxScore }) => `\`${incident}\` ${maxScore}`).join(', ')}. A dark or invalid endpoint scores 0. A host's score is the median of its live endpoints. Its verdict is the worst among them, or Avoid while a removed endpoint has an open critical incident.`,
    'Every profile shows how its score adds up. The parts add up to the score exactly; a cap is a part as well. For example:',
    example(),
    `Bands: ${BAND_RANGES.map(({ id, min, max }) => `\`${id}\` ${min}-${max}`).join(', ')}.`,
    '## Flags',
    table(
      ['Flag', 'Risk', 'Meaning', 'What the seller can do'],
      PUBLISHED_FLAGS.map(({ id, risk, meaning, fix }) => [`\`${id}\``, risk, meaning, fix]),
    ),
    'The risk level is that of the worst flag. Without flags it is `clean`, or `unknown` without a current measurement.',
    '`network_testnet`, `asset_unknown` and `scheme_unsafe` are raised only if no offer has a published form in an official asset of a mainnet. Offers are compared only with offers of equal network, asset and scheme, over all that any client could sign. Offers on test networks count only where there are no others.',
    '## The verdict',
    list(SCORE_SPEC.verdictRules.map(({ verdict, when }) => `**${verdict}**: ${when}`)),
    ...CONFIRMATION_RULES,
    '## What counts as uptime',
    list([
      `Scheduled probes of the last ${days(LIMITS.uptimeWindowMs)} count, and the first success after a failure. With fewer than ${LIMITS.uptimeMinProbes} of them no uptime is stated.`,
      'Other confirming probes do not count, since they follow a failure, nor do live checks, since a buyer chose the time.',
      'Probes without a measurement (our own fault, a refusal of our prober, undeclared input) count neither way.',
      `Time counts as well as probes: each scheduled probe covers half the gap to the scheduled probes on both sides, at most ${hours(LIMITS.uptimeProbeMaxMs)} together. ${hours(LIMITS.uptimeTimeUnitMs)} weigh as much as one probe.`,
      'Each gap is drawn in advance and published with its probe. If we probed late, the extra time is our outage and is ignored.',
      'The stated uptime, its points and `flaky` take the worse of the two: by probes, or by time.',
      `The formula: the points compare ${LIMITS.uptimeTargetPct} % with the 97.5 % quantile of the posterior of the uptime, from the prior Beta(1,1), with a half-life of ${days(LIMITS.uptimeHalfLifeMs)}.`,
    ]),
    ...CLIENT_RULES,
    ...RECOURSE,
    ...ACCURACY_TEXTS,
    '## Versions',
    ...SCORE_SPEC.changelog.flatMap(({ version, date, changes }) => [
      `### ${version} (${date})`,
      list(changes),
    ]),
  ].join('\n\n')}\n`
}

const PLAIN: ScoreInput = {
  status: 'live',
  stability: 'new',
  receiver: null,
  uptime: { up: 0, down: 0, notMeasured: 0, pct: null, lowerBound: null, upperBound: null },
  conformance: { foreignResource: false, undeclaredInput: false, misplacedChallenge: false },
  proof: { delivered: false, signed: false },
  priceJumps: 0,
  openIncidents: [],
}

/** Lists the score of valid sellers without failures and proof. */
function combinations(): string {
  const met = [
    ['stable', 'established'],
    ['stable', null],
    ['stable', 'dormant'],
    ['new', null],
  ] as const
  return table(
    ['Receiver stability', 'Receiver on chain', 'Score without proof'],
    met.map(([stability, receiver]) => {
      const parts = breakDownScore({ ...PLAIN, stability, receiver })
      return [stability, receiver ?? UNKNOWN, String(sumParts(parts ?? []))]
    }),
  )
}

/** Breaks down an example score that an incident caps. */
function example(): string {
  const parts =
    breakDownScore({
      ...PLAIN,
      stability: 'stable',
      receiver: 'established',
      uptime: { up: 40, down: 2, notMeasured: 0, pct: 95.24, lowerBound: 84.16, upperBound: 98.54 },
      conformance: { ...PLAIN.conformance, undeclaredInput: true },
      proof: { delivered: true, signed: false },
      priceJumps: 1,
      openIncidents: ['bait_and_switch'],
    }) ?? []
  const rows = parts.map(({ name, evidence, points }) => [name, evidence, signed(points)])
  return table(['Part', 'Found', 'Points'], [...rows, ['**Score**', '', String(sumParts(parts))]])
}

const range = (min: number, max: number) =>
  min === 0 ? `0 to ${signed(max)}` : `${signed(min)} to ${signed(max)}`
const signed = (points: number) => (points > 0 ? `+${points}` : `${points}`)

const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n')

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
