import {
  BASE,
  findKnownNetwork,
  isCanonicalUsdc,
  isOfficialAsset,
  networkAddressKey,
  sameAddress,
  type Term,
  type Unpayable,
  whyUnpayable,
} from '@touchstone402/shared'
import type { Observation, ObservedOffer } from '../facts/facts.ts'

/** Returns the key of an offer. Only offers with equal network, asset and scheme are compared. */
export function offerKey(offer: Pick<ObservedOffer, 'network' | 'asset' | 'scheme'>): string {
  return `${offer.network} ${offer.asset.toLowerCase()} ${offer.scheme}`
}

/** Whether an offer is on a mainnet that is known. */
export const isOnMainnet = ({ network }: ObservedOffer) => findKnownNetwork(network)?.testnet === false

/** Whether an offer is a published form of payment in an official asset on a mainnet. */
export function isOfficial(offer: ObservedOffer): boolean {
  return offer.unsafeFlow === null && isOnMainnet(offer) && isOfficialAsset(offer.network, offer.asset)
}

/** Returns why the guard cannot pay an offer, or null if it can. */
export function unpayableOf({ network, scheme, asset, unpayable }: ObservedOffer): Unpayable | null {
  return unpayable ?? whyUnpayable({ network, scheme, extra: {} }, isCanonicalUsdc(network, asset))
}

/** Whether an offer is a plain exact payment in canonical USDC on a mainnet. */
export function isAcceptable(offer: ObservedOffer): boolean {
  return (
    offer.scheme === 'exact' &&
    offer.lenient !== true &&
    isOfficial(offer) &&
    ['network', null].includes(unpayableOf(offer)) &&
    isCanonicalUsdc(offer.network, offer.asset)
  )
}

/** Returns the most that one signature for an offer hands over, in the smallest unit. */
export const mostOf = ({
  amountAtomic,
  mostAtomic = amountAtomic,
}: Pick<ObservedOffer, 'amountAtomic' | 'mostAtomic'>) => BigInt(mostAtomic)

/** Whether an offer asks for nothing, which is no price to judge by. */
export const isFree = (offer: Pick<ObservedOffer, 'amountAtomic' | 'mostAtomic'>) => mostOf(offer) === 0n

/** Returns the form of an offer: its key, with the flow and the transfer method that it asks for. */
export function formKey(offer: ObservedOffer): string {
  return `${offerKey(offer)} ${offer.unsafeFlow ?? ''} ${offer.unpayable ?? ''}`
}

/** Returns the kind of chain of an offer: an address on one EVM network is one on all. */
export const kindOf = ({ network }: Pick<ObservedOffer, 'network'>) => network.slice(0, network.indexOf(':'))

/** Whether an offer is on a test network that is known. */
export const isOnTestnet = ({ network }: ObservedOffer) => findKnownNetwork(network)?.testnet === true

/**
 * Returns the offers by which an agent could lose money, in the order of the answer: those with a price, without test
 * networks if there are others; all if none has a price. Rules, signed terms and pages read these and no others.
 */
export const signableOffers = remember(({ offers }): readonly ObservedOffer[] => {
  const priced = offers.filter((offer) => !isFree(offer))
  const asked = priced.length > 0 ? priced : offers
  return asked.some(isOnMainnet) ? asked.filter((offer) => !isOnTestnet(offer)) : asked
})

/** Returns the highest amount of each form that an agent could take. */
export const highestAmounts = remember((observation): ReadonlyMap<string, bigint> => {
  const highest = new Map<string, bigint>()
  for (const offer of signableOffers(observation)) {
    const [form, amount] = [formKey(offer), mostOf(offer)]
    if (amount >= (highest.get(form) ?? 0n)) highest.set(form, amount)
  }
  return highest
})

/** Whether an endpoint can only be paid on networks that no table names. Nothing is known of such a payment. */
export function isElsewhere(observation: Observation): boolean {
  const offers = signableOffers(observation)
  return (
    offers.length > 0 &&
    offers.every((offer) => findKnownNetwork(offer.network) === undefined || isIssuedElsewhere(offer))
  )
}

/** Whether an asset is ambiguous by its id: on these networks `extra` names its issuer, which is not read. */
export const isIssuedElsewhere = ({ network, asset }: ObservedOffer) =>
  /^(xrpl|canton):/.test(network) && !isOfficialAsset(network, asset)

const rank = (offer: ObservedOffer) => `${offer.network === BASE ? 0 : 1} ${offerKey(offer)}`

/** Caches a value by the offers list, which is immutable and shared by probes that saw the same offers. */
export function remember<T>(read: (observation: Observation) => T): (observation: Observation) => T {
  const known = new WeakMap<Observation['offers'], { readonly value: T }>()
  return (observation) => {
    const entry = known.get(observation.offers)
    if (entry !== undefined) return entry.value
    const value = read(observation)
    known.set(observation.offers, { value })
    return value
  }
}

/** Returns the offers whose receiver and price are shown: the acceptable ones if any, else the official ones, else all. */
const shownOffers = remember((observation): readonly ObservedOffer[] => {
  // Sorted, so that a seller who shuffles the entries shows the same terms. Base comes first.
  const offers = [...signableOffers(observation)].sort((a, b) => rank(a).localeCompare(rank(b)))
  const choices = [offers.filter(isAcceptable), offers.filter(isOfficial), offers]
  return choices.find(({ length }) => length > 0) ?? []
})

/** Returns the tiers of a probe, highest first: the shown offers with the key of the first. */
export const listTiers = remember((observation): readonly ObservedOffer[] => {
  const shown = shownOffers(observation)
  return shown
    .filter((offer) => shown[0] !== undefined && offerKey(offer) === offerKey(shown[0]))
    .sort((a, b) => Number(BigInt(b.amountAtomic) - BigInt(a.amountAtomic)))
})

/** Returns the offer whose receiver and price are shown: the highest tier. */
export const mainOffer = (observation: Observation): ObservedOffer | undefined => listTiers(observation)[0]

/** Returns one offer of each receiver. */
export function byReceiver(offers: readonly ObservedOffer[]): readonly ObservedOffer[] {
  const named = new Map(offers.map((offer) => [networkAddressKey(offer.network, offer.payTo), offer]))
  return [...named.values()]
}

/** Maximum number of receivers of one probe that are looked up. */
const MAX_NAMED = 3

/** Returns the first receivers of a probe: the main offer's, then those on Base. */
export const listNamedReceivers = remember((observation): readonly ObservedOffer[] => {
  const offers = [...signableOffers(observation)].sort((a, b) => rank(a).localeCompare(rank(b)))
  return byReceiver([...listTiers(observation).slice(0, 1), ...offers]).slice(0, MAX_NAMED)
})

/** Whether the key of a receiver signed every offer of a probe, by the offer-receipt extension. */
export const isSignedBy = ({ offersSignedBy }: Observation, payTo: string): boolean =>
  offersSignedBy?.startsWith('eip155:') === true && sameAddress(offersSignedBy.slice(7), payTo)

/** Receivers by offer key. */
export type ReceiverSets = readonly (readonly [key: string, receivers: readonly string[]])[]

/** Deposit addresses of other protocols change with each payment, as their specifications have it. */
const isOfX402 = ({ protocol }: ObservedOffer) => protocol === undefined

/** Returns the receivers of all signable offers of x402, by offer key; hex in lower case. */
export const receiverSets = remember((observation): ReceiverSets => {
  const sets = new Map<string, Set<string>>()
  for (const offer of signableOffers(observation).filter(isOfX402)) {
    const key = offerKey(offer)
    const set = sets.get(key) ?? new Set()
    sets.set(key, set.add(normalAddress(offer.payTo)))
  }
  return share([...sets].map(([key, receivers]) => [key, [...receivers].sort()]))
})

const MAX_SHARED = 1000
const shared = new Map<string, ReceiverSets>()

/** Returns one object for equal receivers, so that most comparisons end at once. */
function share(sets: ReceiverSets): ReceiverSets {
  const text = JSON.stringify(sets)
  const known = shared.get(text) ?? sets
  if (shared.size >= MAX_SHARED) shared.clear()
  shared.set(text, known)
  return known
}

/** Normalises an address for comparison: hex in lower case, others unchanged. */
export function normalAddress(address: string): string {
  return address.startsWith('0x') ? address.toLowerCase() : address
}

/**
 * Whether two probes name different receivers: none in common at a key that both have, or none in common at all.
 * Adding or dropping a network is no difference while a receiver stays.
 */
export function receiversDiffer(a: ReceiverSets, b: ReceiverSets): boolean {
  if (a === b || a.length === 0 || b.length === 0) return false
  for (const [key, receivers] of a) {
    const others = b.find(([other]) => other === key)
    if (others !== undefined && isDisjoint(receivers, others[1])) return true
  }
  return isDisjoint(addressesOf(a), addressesOf(b))
}

/** Returns all receivers of all keys. */
export function addressesOf(sets: ReceiverSets): Set<string> {
  return new Set(sets.flatMap(([, receivers]) => receivers))
}

/** Whether two sets have no item in common. */
export function isDisjoint(a: Iterable<string>, b: Iterable<string>): boolean {
  const items = new Set(b)
  for (const item of a) if (items.has(item)) return false
  return true
}

/** Whether the scheme of x402 alone determines how an offer is paid, as in terms. Other forms are judged apart. */
export const isPlain = ({ unsafeFlow, unpayable, protocol }: ObservedOffer) =>
  unsafeFlow === null &&
  protocol === undefined &&
  !['gateway', 'method', 'flow'].some((form) => form === unpayable)

/**
 * Collects the plain terms of some probes: each key and receiver with its range of amounts.
 * @param caps highest amount of a form that is vouched for. @default none
 */
export function collectTerms(
  observations: readonly Observation[],
  caps: ReadonlyMap<string, bigint> = new Map(),
): Term[] {
  const terms = new Map<string, Term>()
  const isVouched = (offer: ObservedOffer) => {
    const most = caps.get(formKey(offer))
    return isPlain(offer) && (most === undefined || BigInt(offer.amountAtomic) <= most)
  }
  for (const observation of observations) {
    const { method } = observation
    for (const offer of signableOffers(observation).filter(isVouched)) {
      const { x402Version, scheme, network, asset, payTo, amountAtomic } = offer
      const id = `${x402Version} ${offerKey(offer)} ${payTo.toLowerCase()} ${method}`
      const { amountAtomicMin: min = amountAtomic, amountAtomicMax: max = amountAtomic } = terms.get(id) ?? {}
      const amountAtomicMin = BigInt(amountAtomic) < BigInt(min) ? amountAtomic : min
      const amountAtomicMax = BigInt(amountAtomic) > BigInt(max) ? amountAtomic : max
      terms.set(id, { x402Version, scheme, network, asset, payTo, amountAtomicMin, amountAtomicMax, method })
    }
  }
  return [...terms.values()]
}
