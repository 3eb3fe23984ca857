import { MINUTE } from '../../facts/times.ts'
import { days, hours, LIMITS } from '../../judge/spec.ts'

const rule = (name: string, ...lines: readonly string[]): string[] => [
  `### ${name}`,
  lines.map((line) => `- ${line}`).join('\n'),
]

/** Markdown on how findings are confirmed, a heading for each. */
export const CONFIRMATION_RULES: readonly string[] = [
  '## How findings are confirmed',
  ...rule(
    'Dark or invalid',
    `It takes ${LIMITS.darkAfterDowns} consecutive failures over at least ${LIMITS.darkAfterMs / MINUTE} minutes; recovery takes ${LIMITS.recoveredAfterUps} consecutive successes.`,
    'Until then the previous status stands, and the verdict is marked `degraded`.',
  ),
  ...rule(
    'Removed route',
    'It goes dark like any failure, once at least two client identities see it.',
    '404 and 410 to the request that worked before count as failures.',
    `400, 405, 415 and 422 count from ${hours(LIMITS.inputSettledMs)} after the last success on, once we read the host's OpenAPI and \`/.well-known/x402\` again and sent what they and the listing declare.`,
    `401, 403 and 429 never count, since they may be about our prober. After ${LIMITS.refusedProbes} refused probes in a row the verdict is at best Caution, and it expires as usual.`,
  ),
  ...rule(
    'Receiver changed',
    `It takes ${LIMITS.swapProbes} consecutive probes by at least two client identities, within minutes. Until then the verdict is at best Caution.`,
    'Probes are compared with the receivers that the endpoint began with, by kind of chain.',
    `An added receiver may replace them after ${days(LIMITS.togetherMs)} beside them. After ${days(LIMITS.handedOverMs)} that is Caution, earlier Avoid.`,
    'A probe that differs is repeated at once, to distinguish random receivers or prices from a change.',
    `Two receivers for one identity within ${LIMITS.rotationWithinMs / MINUTE} minute are rotation, which stays in the history for ${days(LIMITS.rotationMemoryMs)}.`,
  ),
  ...rule(
    'Announced change',
    'Only the old receiver announces a change: by a signature in `/.well-known/x402`, or by paying the new one on Base the exact amount, below a cent, that the owner page shows.',
    'A signature by the new receiver proves it for a host without another one. It never confirms the receiver beside or after another.',
    `Without the old key, the owner of the host may confirm the change, if a host claim by DNS began before it and still holds. After ${days(LIMITS.confirmedByHostMs)} without another change the verdict is Caution, and the incident ends.`,
  ),
  ...rule(
    'Receiver that comes and goes',
    `Seen once among stable ones, it is Caution for ${days(LIMITS.flickerMs)}.`,
    `On two occasions at least ${hours(LIMITS.flickerApartMs)} apart within ${days(LIMITS.flickerMemoryMs)}, it is Avoid.`,
    `An offer that is added behind a cache may come and go for ${hours(LIMITS.cacheLagMs)}.`,
  ),
  ...rule(
    'Cloaking',
    `It takes two identities that probe twice each, in turn, within ${hours(LIMITS.cloakWithinMs)}, and each see their own terms again.`,
    `For ${hours(LIMITS.cacheLagMs)} after a change a cache may explain it, until all identities see the new terms.`,
    'A receiver that only one identity saw before it was withdrawn is cloaked.',
    `It expires after ${days(LIMITS.cloakMemoryMs)}, unless the terms still differ.`,
  ),
  ...rule(
    'New offer',
    'Its form is one that the first probe of the endpoint did not show.',
    `It is confirmed once two client identities saw it over ${hours(LIMITS.offerConfirmedMs)}, or once an old receiver announces its receiver.`,
    `If it pays another receiver than the others on that kind of chain, it takes ${days(LIMITS.otherReceiverMs)}.`,
    'Until then the signed terms exclude it.',
  ),
  ...rule(
    'Price that varies',
    `A price that varies by more than ${LIMITS.priceVariesTimes} times, with at least ${LIMITS.priceVariesChanges} changes of over ${LIMITS.priceJumpPct} % among the last ${LIMITS.priceVariesProbes} equal requests, is a range. One step is a jump.`,
    `The signed terms end at ${LIMITS.priceVariesTimes} times the median (of the lowest, while there are fewer than ${LIMITS.priceVariesProbes / 2} probes).`,
    `A higher amount joins them once ${LIMITS.priceMovedProbes} probes in a row over ${hours(LIMITS.priceMovedMs)}, by two client identities, asked for it, but never while the price varies.`,
    'Tiers of one challenge and the maximum of `upto` are declared.',
  ),
  ...rule(
    'Price jump',
    `It is over ${LIMITS.priceJumpPct} % and over $${LIMITS.priceJumpUsd} above the median of the last ${LIMITS.priceJumpWindow} probes, seen twice.`,
  ),
  ...rule(
    'Bait',
    `It is a price above ${LIMITS.priceBaitTimes} times the seller's own claim in at least half of the probes of ${days(LIMITS.priceBaitWindowMs)}, two of them ${hours(LIMITS.priceBaitSpanMs)} apart, if the claim was read after such a price was first seen.`,
    `Where the price changes per request, the last ${2 * LIMITS.priceBaitDynamicProbes} probes count if those are more.`,
    `From ${LIMITS.priceDiffersPct} % on it is \`price_differs\`. The 402 says so before anybody pays, so there is no incident.`,
    'Ranges and rates, such as a price by tokens, claim no price of a call.',
    'Of several tiers the lowest counts, since guards pay the cheapest. A tier that is paid and not delivered is `no_delivery`; the highest one still raises `price_drift` and `price_high`.',
  ),
  ...rule(
    'Incident',
    'It counts on the whole host. Every other path is Caution, or Avoid if it later names a receiver that one of our purchases paid.',
    "At another host it counts only if one of our purchases at the accused host paid the receiver, since anyone may name a rival's.",
    "There it is Avoid if that host did not name the receiver before, and either both share a registrable domain or the receiver's whole history shows no earlier payment.",
    'Otherwise it is Caution there, unless the receiver was named there first and signed for that host.',
    `It ends as stated for its kind, or ${days(LIMITS.keptProbesMs)} after the receiver was last seen.`,
  ),
  ...rule(
    'Listing',
    "Listings are statements of third parties. Only the host's own documents (`/.well-known/x402`, OpenAPI) are the seller's.",
    'Bait and a differing receiver are judged by these alone. A price or receiver that others list raises at most `price_drift`.',
    'If all of them name one category, prices are compared within it.',
    'Calls that a directory counts may raise `receiver_never_paid`.',
  ),
  ...rule(
    'Flaky',
    `It stays raised while the upper bound of uptime was below ${LIMITS.flakyBelowPct} % at a probe of the last ${hours(LIMITS.flakyMemoryMs)}.`,
  ),
  ...rule(
    'Chain record',
    `It expires after ${days(LIMITS.receiverRecordMs)}; the receiver is not known until the chain can be read again.`,
    'A listing by the sanctions oracle stands until the oracle denies it or its record expires. Any answer but one word of 0 or 1 is ignored.',
  ),
]
