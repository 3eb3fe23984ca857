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
    'The **score** measures the good evidence. The **risk level** is the severity of the worst finding. The verdict takes the worse of the two; where flags decide against the score, answers name them in `overruledBy`, and the score is evidence, not a mark of quality.',
    '## The score of an endpoint',
    table(
      ['Factor', 'Points', 'When'],
      SCORE_SPEC.factors.map(({ name, min, max, when }) => [name, range(min, max), when]),
    ),
    combinations(),
    `While an incident is open, the score is capped: ${SCORE_SPEC.caps.map(({ incident, maxScore }) => `\`${incident}\` ${maxScore}`).join(', ')}. A dark or invalid endpoint scores 0. A host's score is the median of its live endpoints; its verdict is the worst among them, and Avoid while an endpoint that went away is under a critical incident.`,
    'Every profile shows how its score adds up, and `recompute` prints it. The parts add up to the score exactly; a cap is a part as well. For example:',
    example(),
    `Bands: ${BAND_RANGES.map(({ id, min, max }) => `\`${id}\` ${min}-${max}`).join(', ')}.`,
    '## Flags',
    table(
      ['Flag', 'Risk', 'Meaning', 'What the seller can do'],
      PUBLISHED_FLAGS.map(({ id, risk, meaning, fix }) => [`\`${id}\``, risk, meaning, fix]),
    ),
    'The risk level is that of the worst flag. Without flags it is `clean`, or `unknown` without a current measurement.',
    '`network_testnet`, `asset_unknown` and `scheme_unsafe` are raised only if there is no offer of a published form in an official asset of a mainnet. Offers are compared only with offers of equal network, asset and scheme, over all that any client could sign; those of test networks count only where there are no others.',
    '## The verdict',
    list(SCORE_SPEC.verdictRules.map(({ verdict, when }) => `**${verdict}**: ${when}`)),
    '## How findings are confirmed',
    list([
      `**A removed route** goes dark in the same way: 404 and 410 to the request that worked before count as failures; 400, 405, 415 and 422 do so from ${hours(LIMITS.inputSettledMs)} after the last success on, once the host's OpenAPI and \`/.well-known/x402\` were read again and what they and the listing declare was asked. At least two client identities must see it. 401, 403 and 429 never count as failures, since they may be about our prober: after ${LIMITS.refusedProbes} refused probes in a row the verdict is at best Caution, and it expires as usual.`,
      `**Dark or invalid** takes ${LIMITS.darkAfterDowns} consecutive failures over at least ${LIMITS.darkAfterMs / MINUTE} minutes; recovery takes ${LIMITS.recoveredAfterUps} consecutive successes. Until then the previous status stands and the verdict is marked \`degraded\`.`,
      `**Receiver changed** takes ${LIMITS.swapProbes} consecutive probes by at least two client identities, which takes minutes; until then the verdict is at best Caution. Probes are compared with the receivers that the endpoint began with, by kind of chain: one that was added replaces them only after ${days(LIMITS.togetherMs)} beside them; after ${days(LIMITS.handedOverMs)} it is Caution, before that Avoid. A probe that differs is repeated at once, to distinguish random receivers or prices from a change. Two receivers for one identity within ${LIMITS.rotationWithinMs / MINUTE} minute are rotation, which stays in the history for ${days(LIMITS.rotationMemoryMs)}.`,
      `**Cloaking** takes two identities that probe twice each, in turn, within ${hours(LIMITS.cloakWithinMs)}, and each see their own terms again. A cache may explain it for ${hours(LIMITS.cacheLagMs)} after a change, until all identities see the new terms; a receiver that only one identity saw before it was withdrawn is cloaked. It expires after ${days(LIMITS.cloakMemoryMs)}, unless the terms still differ.`,
      `**A new offer**, in a form that the first probe of the endpoint did not show, is confirmed once two client identities saw it over ${hours(LIMITS.offerConfirmedMs)}, or over ${days(LIMITS.otherReceiverMs)} if it pays another receiver than the others on that kind of chain, or an old receiver announces its receiver. Until then it is out of the signed terms.`,
      `**A price that varies** by more than ${LIMITS.priceVariesTimes} times, with at least ${LIMITS.priceVariesChanges} changes of over ${LIMITS.priceJumpPct} % among the last ${LIMITS.priceVariesProbes} equal requests, is a range; one step is a jump. Amounts above ${LIMITS.priceVariesTimes} times the median (of the lowest, while there are fewer than ${LIMITS.priceVariesProbes / 2} probes) are signed for only once ${LIMITS.priceMovedProbes} probes in a row over ${hours(LIMITS.priceMovedMs)}, by two client identities, asked for them, and not at all while the price varies. Tiers of one challenge and the maximum of \`upto\` are declared.`,
      `**A receiver that comes and goes** counts: one that was seen once among stable ones is Caution for ${days(LIMITS.flickerMs)}, on two occasions at least ${hours(LIMITS.flickerApartMs)} apart within ${days(LIMITS.flickerMemoryMs)} it is Avoid. An offer that is added behind a cache may come and go for ${hours(LIMITS.cacheLagMs)}.`,
      `**Only the old receiver announces a change**: by a signature in \`/.well-known/x402\`, or by paying the new one on Base the exact amount, below a cent, that the owner page shows. A signature by the new one proves it for a host that has no other yet, and confirms none beside or after another. The owner of a host who claimed it by DNS before the change, and does so still, may confirm it: after ${days(LIMITS.confirmedByHostMs)} without another change the verdict is Caution, and the incident ends.`,
      `**An incident** counts on the whole host: against every other path, which is Caution, and which is Avoid where one of our purchases paid the receiver that it names later. At another host it counts only where one of our purchases at the accused host paid the receiver, since anybody may name a rival's: Avoid where that host did not name it before and stands under the same registrable domain, or the receiver's whole history shows no payment before; otherwise Caution, unless the receiver was named there first and signed for that host. It ends as stated for its kind, or ${days(LIMITS.keptProbesMs)} after the receiver was last seen.`,
      "**Listings** are statements of third parties. Only the host's own documents (`/.well-known/x402`, OpenAPI) are the seller's: bait and a differing receiver are judged by these alone, and a price or receiver that others list raises at most `price_drift`. A category that all of them name chooses what a price is compared with, and calls that a directory counts may raise `receiver_never_paid`.",
      `**A price jump** is over ${LIMITS.priceJumpPct} % and over $${LIMITS.priceJumpUsd} above the median of the last ${LIMITS.priceJumpWindow} probes, seen twice.`,
      `**Bait** is a price above ${LIMITS.priceBaitTimes} times the seller's own claim in at least half of the probes of ${days(LIMITS.priceBaitWindowMs)} (where the price changes per request, of the last ${2 * LIMITS.priceBaitDynamicProbes} if those are more), two of them ${hours(LIMITS.priceBaitSpanMs)} apart, if the claim was read after such a price was first seen. From ${LIMITS.priceDiffersPct} % on it is \`price_differs\`: the 402 says so before anybody pays, so there is no incident. Ranges and rates, such as a price by tokens, claim no price of a call. Of several tiers the lowest counts, since guards pay the cheapest: a tier that is paid and not delivered is \`no_delivery\`, and the highest one still raises \`price_drift\` and \`price_high\`.`,
      `**Flaky** stays raised while the upper bound of uptime was below ${LIMITS.flakyBelowPct} % at a probe of the last ${hours(LIMITS.flakyMemoryMs)}.`,
      `**A chain record** expires after ${days(LIMITS.receiverRecordMs)}; the receiver is not known until the chain can be read again. A listing by the sanctions oracle stands until the oracle denies it or its record expires; an answer other than one word of 0 or 1 is ignored.`,
    ]),
    '## What counts as uptime',
    `Scheduled probes within ${days(LIMITS.uptimeWindowMs)}, and the first success after a failure. Other confirming probes do not count, since they follow a failure; live checks do not count, since a buyer chose the time. Probes without a measurement (our own fault, a refusal of our prober, undeclared input) count neither way. With fewer than ${LIMITS.uptimeMinProbes} probes no uptime is stated.`,
    `Time counts beside probes: each scheduled probe covers half the gap to the scheduled probes on both sides, at most ${hours(LIMITS.uptimeProbeMaxMs)} together, and ${hours(LIMITS.uptimeTimeUnitMs)} weigh as much as one probe. Time counts up to the gap that was drawn for a probe, which is published with it. If we probed later, the rest was our own downtime and counts for no probe. The stated uptime, its points and \`flaky\` take the worse of the two.`,
    ...CLIENT_RULES,
    ...RECOURSE,
    ...ACCURACY_TEXTS,
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
