import { MINUTE } from '../facts/times.ts'
import { PUBLISHED_FLAGS } from '../judge/flags.ts'
import { breakDownScore, type ScoreInput, sumParts, UNKNOWN } from '../judge/scoreParts.ts'
import { BAND_RANGES, days, hours, LIMITS, SCORE_VERSION } from '../judge/spec.ts'
import { ACCURACY_TEXTS } from './accuracy/accuracyTexts.ts'
import { SCORE_SPEC } from './scoreSpec.ts'
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
    'Every profile shows how its score adds up, and `recompute` prints it. The parts add up to the score exactly; a cap is a part as well. For example:',
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
    '## How findings are confirmed',
    list([
      `**A removed route** goes dark like any failure, once at least two client identities see it. 404 and 410 to the request that worked before count as failures. 400, 405, 415 and 422 count from ${hours(LIMITS.inputSettledMs)} after the last success on, once we read the host's OpenAPI and \`/.well-known/x402\` again and sent what they and the listing declare. 401, 403 and 429 never count, since they may be about our prober: after ${LIMITS.refusedProbes} refused probes in a row the verdict is at best Caution, and it expires as usual.`,
      `**Dark or invalid** takes ${LIMITS.darkAfterDowns} consecutive failures over at least ${LIMITS.darkAfterMs / MINUTE} minutes; recovery takes ${LIMITS.recoveredAfterUps} consecutive successes. Until then the previous status stands and the verdict is marked \`degraded\`.`,
      `**Receiver changed** takes ${LIMITS.swapProbes} consecutive probes by at least two client identities, within minutes; until then the verdict is at best Caution. Probes are compared with the receivers that the endpoint began with, by kind of chain. An added receiver may replace them after ${days(LIMITS.togetherMs)} beside them; after ${days(LIMITS.handedOverMs)} that is Caution, earlier Avoid. A probe that differs is repeated at once, to distinguish random receivers or prices from a change. Two receivers for one identity within ${LIMITS.rotationWithinMs / MINUTE} minute are rotation, which stays in the history for ${days(LIMITS.rotationMemoryMs)}.`,
      `**Cloaking** takes two identities that probe twice each, in turn, within ${hours(LIMITS.cloakWithinMs)}, and each see their own terms again. For ${hours(LIMITS.cacheLagMs)} after a change a cache may explain it, until all identities see the new terms. A receiver that only one identity saw before it was withdrawn is cloaked. The finding expires after ${days(LIMITS.cloakMemoryMs)}, unless the terms still differ.`,
      `**A new offer** has a form that the first probe of the endpoint did not show. It is confirmed once two client identities saw it over ${hours(LIMITS.offerConfirmedMs)}, or over ${days(LIMITS.otherReceiverMs)} if it pays another receiver than the others on that kind of chain, or once an old receiver announces its receiver. Until then the signed terms exclude it.`,
      `**A price that varies** by more than ${LIMITS.priceVariesTimes} times, with at least ${LIMITS.priceVariesChanges} changes of over ${LIMITS.priceJumpPct} % among the last ${LIMITS.priceVariesProbes} equal requests, is a range; one step is a jump. The signed terms end at ${LIMITS.priceVariesTimes} times the median (of the lowest, while there are fewer than ${LIMITS.priceVariesProbes / 2} probes). A higher amount joins them once ${LIMITS.priceMovedProbes} probes in a row over ${hours(LIMITS.priceMovedMs)}, by two client identities, asked for it, but never while the price varies. Tiers of one challenge and the maximum of \`upto\` are declared.`,
      `**A receiver that comes and goes** counts. Seen once among stable ones, it is Caution for ${days(LIMITS.flickerMs)}; on two occasions at least ${hours(LIMITS.flickerApartMs)} apart within ${days(LIMITS.flickerMemoryMs)}, Avoid. An offer that is added behind a cache may come and go for ${hours(LIMITS.cacheLagMs)}.`,
      `**Only the old receiver announces a change**: by a signature in \`/.well-known/x402\`, or by paying the new one on Base the exact amount, below a cent, that the owner page shows. A signature by the new receiver proves it for a host without another one, and never confirms it beside or after another.`,
      `**Without the old key**, the owner of the host may confirm the change, if a host claim by DNS began before it and still holds. After ${days(LIMITS.confirmedByHostMs)} without another change the verdict is Caution, and the incident ends.`,
      `**An incident** counts on the whole host. Every other path is Caution, or Avoid if it later names a receiver that one of our purchases paid. The incident ends as stated for its kind, or ${days(LIMITS.keptProbesMs)} after the receiver was last seen.`,
      `**At another host** an incident counts only if one of our purchases at the accused host paid the receiver, since anyone may name a rival's. It is Avoid if the other host did not name the receiver before, and either both share a registrable domain or the receiver's whole history shows no earlier payment. Otherwise it is Caution, unless the receiver was named there first and signed for that host.`,
      "**Listings** are statements of third parties. Only the host's own documents (`/.well-known/x402`, OpenAPI) are the seller's: bait and a differing receiver are judged by these alone, and a price or receiver that others list raises at most `price_drift`. If all of them name one category, prices are compared within it. Calls that a directory counts may raise `receiver_never_paid`.",
      `**A price jump** is over ${LIMITS.priceJumpPct} % and over $${LIMITS.priceJumpUsd} above the median of the last ${LIMITS.priceJumpWindow} probes, seen twice.`,
      `**Bait** is a price above ${LIMITS.priceBaitTimes} times the seller's own claim in at least half of the probes of ${days(LIMITS.priceBaitWindowMs)}, two of them ${hours(LIMITS.priceBaitSpanMs)} apart, if the claim was read after such a price was first seen. Where the price changes per request, the last ${2 * LIMITS.priceBaitDynamicProbes} probes count if those are more. Ranges and rates, such as a price by tokens, claim no price of a call.`,
      `**A price over ${LIMITS.priceDiffersPct} % above the claim** is \`price_differs\`. The 402 says so before anybody pays, so there is no incident. Of several tiers the lowest counts, since guards pay the cheapest. A tier that is paid and not delivered is \`no_delivery\`; the highest one still raises \`price_drift\` and \`price_high\`.`,
      `**Flaky** stays raised while the upper bound of uptime was below ${LIMITS.flakyBelowPct} % at a probe of the last ${hours(LIMITS.flakyMemoryMs)}.`,
      `**A chain record** expires after ${days(LIMITS.receiverRecordMs)}; the receiver is not known until the chain can be read again. A listing by the sanctions oracle stands until the oracle denies it or its record expires. Any answer but one word of 0 or 1 is ignored.`,
    ]),
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
