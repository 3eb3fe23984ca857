import { type Flag, findKnownNetwork, UNPAYABLE } from '@touchstone402/shared'
import { nameClient } from '../facts/clientIdentities.ts'
import { formatDollars } from '../facts/dollars.ts'
import type { Observation, ObservedOffer, Time } from '../facts/facts.ts'
import { toDate, toTimestamp } from '../facts/times.ts'
import type { Evidence } from './evidence.ts'
import { findOtherClaim, type RaisedFlag, undeliveredPurchases, whyUnsupported } from './flags.ts'
import { addressesOf, mainOffer, takenOffers } from './offers.ts'
import { askedUsd, claimedUsd, dearestOffer, hasDrift, highestUsualUsd } from './prices.ts'
import { isVaried, MICRO_DOLLARS, type PriceRange } from './ranges.ts'
import { days, FLAG_SPECS, LIMITS } from './spec.ts'

/** Maximum number of characters of a seller's value, such as an address of another chain. */
const MAX_VALUE = 100

const cut = (text: string) => (text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text)
const labelOf = (network: string) => findKnownNetwork(network)?.label ?? cut(network)
const dollars = (usd: number | null) => (usd === null ? 'an amount without a price' : formatDollars(usd))
const on = (time: Time) =>
  toTimestamp(time)
    .replace(/:\d\d\.\d+Z$|:\d\dZ$/, ' UTC')
    .replace('T', ' ')
const describe = ({ scheme, asset, network, payTo }: ObservedOffer) =>
  `${scheme} payment of ${cut(asset)} on ${labelOf(network)} to ${cut(payTo)}`
const AT_NEXT = 'Clears at the next probe that does not show it.'

/** Describes why a flag is raised in the measured values of the endpoint, and when it clears. */
export function describeFlag({ flag, evidence: ids }: RaisedFlag, evidence: Evidence): string {
  return (SENTENCES[flag] ?? (() => `${FLAG_SPECS[flag].meaning} ${AT_NEXT}`))(evidence, ids)
}

type Sentence = (evidence: Evidence, ids: readonly string[]) => string

const SENTENCES: Readonly<Partial<Record<Flag, Sentence>>> = {
  unverifiable: ({ control, latest }) => {
    const offer = mainOfLast(latest)
    if (control?.outcome === 'up') return `A path that does not exist answered 402 too. ${AT_NEXT}`
    if (offer !== undefined && findKnownNetwork(offer.network)?.caip2 !== 'eip155:8453')
      return `The receiver is on ${labelOf(offer.network)}, where receivers are not looked up. Clears with an offer on Base.`
    return `Neither the challenge nor a listing describes the response, or the challenge names a private host. ${AT_NEXT}`
  },
  price_drift: ({ latest, latestListings }) => {
    const asked = latest.map(askedUsd).at(-1) ?? null
    const claims = latestListings.filter((listing) => hasDrift(asked, [listing]))
    const said = claims.map((one) => `${dollars(claimedUsd(one))} in ${cut(one.directory)}`).join(', ')
    return `It asks ${dollars(asked)}, and is listed at ${said}. Clears when both state one price.`
  },
  payment_unsupported: ({ latest }) => {
    const why = latest.map(whyUnsupported).at(-1)
    return `${why === undefined ? '' : `${UNPAYABLE[why]} `}Clears with an exact USDC payment on a mainnet beside it.`
  },
  unpayable_by_stock: ({ latest }) => {
    const why = latest.at(-1)?.offers.find(({ stockRefuses }) => stockRefuses !== undefined)?.stockRefuses
    const what = why === 'domain_missing' ? 'no EIP-712 domain' : "another EIP-712 domain than the token's"
    return `Its \`extra\` has ${what}, so stock clients refuse every offer. ${AT_NEXT}`
  },
  price_unknown: ({ latest }) => {
    const offer = mainOfLast(latest)
    return `It asks ${offer?.amountAtomic ?? 'an amount'} of ${cut(offer?.asset ?? 'an asset')}, which has no price in dollars. Clears with an offer in a dollar token.`
  },
  terms_new: ({ added }) => describeAdded(added.filter(({ flag }) => flag === 'terms_new')),
  terms_unproven: ({ added }) => describeAdded(added.filter(({ flag }) => flag === 'terms_unproven')),
  slow: ({ probes }) => {
    const times = probes.slice(-LIMITS.slowProbes).map(({ latencyMs }) => (latencyMs ?? 0) / 1000)
    return `The last ${times.length} answers took ${Math.round(Math.min(...times))} to ${Math.round(Math.max(...times))} s. Clears when one takes less than ${LIMITS.slowMs / 1000} s.`
  },
  price_high: ({ latest, comparable }) => {
    const dearest = latest.map(dearestOffer).at(-1)
    const than =
      comparable === undefined || comparable.count < LIMITS.priceHighComparable
        ? 'too few are comparable'
        : `the median of ${comparable.count} comparable is ${formatDollars(comparable.medianUsd)}`
    return `It asks ${dollars(dearest?.usd ?? null)}; ${than}. Clears at ${formatDollars(highestUsualUsd(comparable))} or less.`
  },
  price_varies: ({ ranges }) =>
    `${ranges.filter(isVaried).slice(0, 2).map(describeRange).join(' ')} Clears when 20 equal requests in a row differ by at most ${LIMITS.priceVariesTimes} times.`,
  terms_disagree: ({ latest, cacheLag }) => {
    const [found] = latest.at(-1)?.disagreements ?? []
    if (found === undefined)
      return `Two clients got different terms within an hour, as a cache explains (probes ${(cacheLag ?? []).join(', ')}). Clears within ${days(LIMITS.cloakMemoryMs)}, if all get the same.`
    const values = found.values.slice(0, 3).map(cut).join(' and ') || 'more than 32 of them'
    const what = found.field === 'payTo' ? 'receivers' : 'highest amounts'
    return `Offers of one kind (${found.scheme} ${cut(found.asset)} on ${labelOf(found.network)}) name different ${what}: ${values}. ${AT_NEXT}`
  },
  payto_rotates: ({ observations, rotation }, ids) => {
    const pair = ids.flatMap((id) => observations.find((observation) => observation.id === id) ?? [])
    const names = pair.map((observation) => cut(mainOffer(observation)?.payTo ?? '')).join(' and ')
    const last = observations.findLast(({ id }) => rotation?.includes(id))?.at ?? 0
    return `Two probes by one client within a minute named ${names || 'different receivers'}. Clears on ${on(last + LIMITS.rotationMemoryMs)}, if the receiver stays, or once one key has signed every offer of 30 days.`
  },
  flaky: ({ lowestUptime: { up, down, upperBound } }) =>
    `${up} of ${up + down} probes were answered with valid terms; by probes or by time, its uptime is at best ${upperBound} %. Clears 24 h after that bound reaches ${LIMITS.flakyBelowPct} %.`,
  receiver_never_paid: ({ receiver, listings }) => {
    const claim = listings.findLast(({ claims }) => (claims.calls ?? 0) >= LIMITS.neverPaidCalls)
    return `${receiver?.address ?? 'The receiver'} had no USDC receipts up to block ${receiver?.blockNumber ?? 0}; ${cut(claim?.directory ?? 'a listing')} says ${claim?.claims.calls ?? 0} calls. Clears with its first receipt.`
  },
  receiver_differs_from_listing: (evidence) => {
    const claim = findOtherClaim(evidence)?.claims
    const named = addressesOn(evidence.latest.at(-1), claim?.network ?? '')
    return `It asks for payment to ${named}; its own document names ${cut(claim?.payTo ?? '')}. Clears when both name the same receiver.`
  },
  receiver_flagged: describeAccused,
  receiver_accused_elsewhere: describeAccused,
  host_accused: describeAccused,
  resource_mismatch: ({ latest }) =>
    `The challenge is for ${cut(latest.at(-1)?.resourceOrigin ?? 'another origin')}, so guards refuse to pay it. ${AT_NEXT}`,
  network_testnet: ({ latest }) =>
    `It settles on ${labelOf(mainOfLast(latest)?.network ?? '')}, a test network. Clears with an offer on a mainnet.`,
  asset_unknown: ({ latest }) => {
    const offer = mainOfLast(latest)
    return `It asks for ${cut(offer?.asset ?? '')} on ${labelOf(offer?.network ?? '')}, which neither the protocol nor the issuer of a stablecoin names. Clears with an offer in USDC.`
  },
  scheme_unsafe: ({ latest }) => {
    const flow = latest.at(-1)?.offers.find(({ unsafeFlow }) => unsafeFlow !== null)?.unsafeFlow
    return `It asks for a form of payment that no specification publishes: ${cut(flow ?? 'unknown')}. Clears with an exact offer by EIP-3009.`
  },
  payto_changed: ({ swap, epochs }) => {
    const [before, after] = [swap?.before, swap?.after].map((side) =>
      side === undefined ? '' : [...addressesOf(side.receivers)].slice(0, 3).map(cut).join(', '),
    )
    const from = swap?.after.from ?? epochs.at(-1)?.from ?? 0
    return `The receiver changed from ${before} to ${after} on ${on(from)} without an announcement. Clears on ${on(from + LIMITS.changedMs)}, if probes see it stay.`
  },
  price_bait: ({ bait }) =>
    `It asks $${bait?.askedUsd} since ${on(bait?.first.at ?? 0)}; its own document says $${bait?.claimUsd}, as read on ${on(bait?.listing.claimedAt ?? 0)}. Clears when it asks at most ${LIMITS.priceBaitPct} % more than it says.`,
  cloaked: ({ observations }, ids) => {
    const four = ids.flatMap((id) => observations.find((observation) => observation.id === id) ?? [])
    const two = four.slice(0, 2).map(describeSeen).join('; ')
    return `${two === '' ? 'Clients got different terms' : two}; each got the same again within an hour. Clears ${days(LIMITS.cloakMemoryMs)} after all clients get the same.`
  },
  no_delivery: ({ purchases }, ids) => {
    const found = undeliveredPurchases(purchases).filter(({ id }) => ids.includes(id))
    const last = found.at(-1)
    return `${found.length} test purchases settled without a delivery, the last of ${last?.amountAtomic ?? 0} atomic units on ${on(last?.at ?? 0)} in ${last?.txHash ?? 'no transaction'}. Clears with the next one that is delivered.`
  },
  receiver_unverified: ({ latest }) =>
    `${cut(mainOfLast(latest)?.payTo ?? 'What it names')} is no address that anybody could be paid at. ${AT_NEXT}`,
  receiver_sanctioned: ({ latest, recordsOf }) => {
    const listed = latest
      .flatMap(takenOffers)
      .flatMap(({ network, payTo }) => recordsOf(network, payTo))
      .findLast(({ sanctions }) => sanctions?.isListed === true)
    return `${listed?.sanctions?.contract ?? 'The oracle'} listed ${listed?.address ?? 'the receiver'} at block ${listed?.blockNumber ?? 0}. Clears when it denies that.`
  },
}

const mainOfLast = (latest: readonly Observation[]): ObservedOffer | undefined => latest.map(mainOffer).at(-1)

const addressesOn = (probe: Observation | undefined, network: string) =>
  (probe === undefined ? [] : takenOffers(probe))
    .filter((offer) => offer.network === network)
    .slice(0, 3)
    .map(({ payTo }) => cut(payTo))
    .join(', ')

function describeAdded(added: Evidence['added']): string {
  const offered = added
    .slice(0, 2)
    .map(({ offer, from }) => `Since ${on(from)} it offers ${describe(offer)}.`)
  const isUnproven = added.some(({ flag }) => flag === 'terms_unproven')
  const others = [...new Set(added.flatMap((one) => one.others))].slice(0, 3).map(cut).join(', ')
  const beside = isUnproven ? [`The other receivers on that kind of chain: ${others}.`] : []
  const clearsOn = on((added[0]?.from ?? 0) + LIMITS.offerConfirmedMs)
  const clears = `Clears on ${clearsOn}, if two clients have seen it over 24 h by then, or once its receiver is announced or signs.`
  return [...offered, ...beside, clears].join(' ')
}

function describeRange({ offer, isUsd, counts, median }: PriceRange): string {
  const total = counts.reduce((sum, [, probes]) => sum + probes, 0)
  const shown = [...new Map([...counts.slice(0, 2), ...counts.slice(-2)])]
  const say = (amount: bigint) => (isUsd ? formatDollars(Number(amount) / MICRO_DOLLARS) : `${amount}`)
  const parts = shown.map(([amount, probes]) => `${say(amount)} in ${probes}`).join(', ')
  const unit = isUsd ? '' : ` atomic units of ${cut(offer.asset)}`
  return `Of the last ${total} equal requests, it asked for ${parts}${unit}; the median is ${say(median)}.`
}

function describeSeen(observation: Observation): string {
  const [front] = takenOffers(observation)
  const terms = front === undefined ? 'no terms' : `${front.amountAtomic} as ${describe(front)}`
  return `${nameClient(observation.client)} got ${terms}`
}

function describeAccused({ accused }: Evidence, ids: readonly string[]): string {
  const found = accused.find(({ accusation }) => ids.includes(accusation.incident))
  if (found === undefined) return AT_NEXT
  const { flag, accusation, paid } = found
  const { incident, kind, host, payTo, detectedAt } = accusation
  const about = `incident ${incident} (${kind}, since ${toDate(detectedAt)}) at ${cut(host)}`
  return flag === 'host_accused'
    ? `The host is under ${about}, and this path with the receiver ${cut(paid.payTo)} appeared after it began. Clears when the incident ends, or once the receiver signs for the host.`
    : `The receiver ${cut(payTo)} is under ${about}. Clears when the incident ends, at the latest ${days(LIMITS.keptProbesMs)} after the receiver was last seen there.`
}
