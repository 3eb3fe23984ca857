import { MINUTE } from '../facts/times.ts'
import { breakDownScore, type ScoreInput, sumParts } from '../judge/scoreParts.ts'
import { BAND_RANGES, days, FLAG_SPECS, hours, LIMITS, SCORE_SPEC, SCORE_VERSION } from '../judge/spec.ts'
import { CLIENT_RULES, RECOURSE } from './scoringTexts.ts'

/** `docs/scoring.md`: how the score works, with every number taken from the specification. */
export function buildScoringDocument(): string {
  return `${[
    `# How the score works (version ${SCORE_VERSION})`,
    'This page is made from the specification in `packages/server/src/domain/judge/spec.ts`, as `/trust-score.json` is; a test fails when it drifts.',
    'Two questions are kept apart. The **score** says how much good evidence there is, the **risk level** how bad the worst thing found is. The verdict takes the worse answer.',
    '## The score of an endpoint',
    table(
      ['Factor', 'Points', 'When'],
      SCORE_SPEC.factors.map(({ name, min, max, when }) => [name, range(min, max), when]),
    ),
    combinations(),
    `While an incident is open the score is at most: ${SCORE_SPEC.caps.map(({ incident, maxScore }) => `\`${incident}\` ${maxScore}`).join(', ')}. A dark or invalid endpoint is 0. A host's score is the median of its live endpoints and its verdict the worst among them.`,
    'Every profile shows how its score adds up, and `recompute` prints it: the parts come to the score exactly, and what bounds the sum is a part as well. For example:',
    example(),
    `Bands: ${BAND_RANGES.map(({ id, min, max }) => `\`${id}\` ${min}-${max}`).join(', ')}.`,
    '## Flags',
    table(
      ['Flag', 'Risk', 'Meaning', 'What its seller can do'],
      Object.entries(FLAG_SPECS).map(([id, { risk, meaning, fix }]) => [`\`${id}\``, risk, meaning, fix]),
    ),
    '`network_testnet`, `asset_unknown` and `scheme_unsafe` are raised only where no exact offer in the canonical USDC of a main network stands beside. Entries are compared only with entries of equal network, asset and scheme.',
    '## The verdict',
    list(SCORE_SPEC.verdictRules.map(({ verdict, when }) => `**${verdict}**: ${when}`)),
    '## What is confirmed, and how',
    list([
      `**Dark or invalid** takes ${LIMITS.darkAfterDowns} consecutive failures over at least ${LIMITS.darkAfterMs / MINUTE} minutes; the way back ${LIMITS.recoveredAfterUps} consecutive successes. Until then the status before stands and the verdict is marked \`degraded\`.`,
      `**Another receiver** takes ${LIMITS.swapLooks} looks in a row by at least two client identities, which is a matter of minutes; until then the verdict is no better than Caution. A look that differs is repeated at once, so that whoever draws receivers or prices by lot is told from a swap. The same identity being named two receivers within ${LIMITS.rotationWithinMs / MINUTE} minute is rotation, and remembered for ${days(LIMITS.rotationMemoryMs)}.`,
      `**Cloaking** takes two identities that, looking twice each in turn within ${hours(LIMITS.cloakWithinMs)}, each see their own terms again. It lapses after ${days(LIMITS.cloakMemoryMs)}, unless they still differ.`,
      `**A price jump** is over ${LIMITS.priceJumpPct} % and over $${LIMITS.priceJumpUsd} above the median of the last ${LIMITS.priceJumpWindow} looks, seen twice.`,
      `**Bait** is a price over ${LIMITS.priceBaitPct} % above the seller's own claim, asked over ${hours(LIMITS.priceBaitSpanMs)}, where the claim was refreshed after that price was first seen. Prices within ${LIMITS.priceBaitPct} % of each other count as one.`,
      `**Flaky** stands while the upper bound of uptime was below ${LIMITS.flakyBelowPct} % at a look of the last ${hours(LIMITS.flakyMemoryMs)}.`,
      `**A chain record** older than ${days(LIMITS.receiverRecordMs)} says nothing: the receiver reads blank until the chain can be read again.`,
    ]),
    '## What counts as uptime',
    `Looks on schedule within ${days(LIMITS.uptimeWindowMs)}, and the look that shows a fault to be over. Other confirming looks do not count, since they are made because something failed; live checks do not either, since their buyer chose the moment. What could not be measured (our own fault, a refusal of our prober, input that the listing does not declare) counts neither way. Below ${LIMITS.uptimeMinProbes} probes nothing is stated.`,
    ...CLIENT_RULES,
    ...RECOURSE,
    '## Versions',
    list(
      SCORE_SPEC.changelog.map(
        ({ version, date, changes }) => `**${version}** (${date}): ${changes.join(' ')}`,
      ),
    ),
  ].join('\n\n')}\n`
}

const PLAIN: ScoreInput = {
  status: 'live',
  stability: 'new',
  receiver: null,
  uptime: { up: 0, down: 0, notMeasured: 0, pct: null, lowerBound: null, upperBound: null },
  conformance: { versionsAgree: false, resourceOrigin: false, inputDeclared: false },
  priceJumps: 0,
  openIncidents: [],
}

/** What the factors come to in the combinations that are met most, conformance and uptime at 0. */
function combinations(): string {
  const met = [
    ['stable', 'established'],
    ['stable', null],
    ['stable', 'dormant'],
    ['new', null],
  ] as const
  return table(
    ['Receiver stability', 'Receiver on chain', 'Score before conformance'],
    met.map(([stability, receiver]) => {
      const parts = breakDownScore({ ...PLAIN, stability, receiver })
      return [stability, receiver ?? 'blank', String(sumParts(parts ?? []))]
    }),
  )
}

/** One score in full, with an incident that holds it down. */
function example(): string {
  const parts =
    breakDownScore({
      ...PLAIN,
      stability: 'stable',
      receiver: 'established',
      uptime: { up: 40, down: 2, notMeasured: 0, pct: 95.24, lowerBound: 84.16, upperBound: 98.54 },
      conformance: { versionsAgree: true, resourceOrigin: true, inputDeclared: false },
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
