import { BASE, findNetwork, isCanonicalUsdc, type Term, USDC_DECIMALS } from '@touchstone402/shared'
import type { Observation, ObservedOffer } from '../facts/facts.ts'

/** Entries are compared only with entries of equal network, asset and scheme. */
export function offerKey(offer: Pick<ObservedOffer, 'network' | 'asset' | 'scheme'>): string {
  return `${offer.network} ${offer.asset.toLowerCase()} ${offer.scheme}`
}

/** Whether an offer is what an agent can pay without a second thought: exact, canonical USDC, a main network, no detour. */
export function isAcceptable(offer: ObservedOffer): boolean {
  return (
    offer.scheme === 'exact' &&
    offer.unsafeFlow === null &&
    findNetwork(offer.network)?.testnet === false &&
    isCanonicalUsdc(offer.network, offer.asset)
  )
}

/**
 * The offers that an endpoint is judged by: the acceptable ones where there are any, else all of them.
 * Base comes first, since receivers are looked up there.
 */
export function judgedOffers(observation: Observation): ObservedOffer[] {
  const acceptable = observation.offers.filter(isAcceptable)
  const judged = acceptable.length > 0 ? acceptable : [...observation.offers]
  // The order of entries means nothing, so that a seller who shuffles them shows the same terms.
  return judged.sort((a, b) => rank(a).localeCompare(rank(b)))
}

const rank = (offer: ObservedOffer) => `${offer.network === BASE ? 0 : 1} ${offerKey(offer)}`

/** Offers never change, and looks that saw the same ones share them, so that what is read off them is read once. */
function remember<T>(read: (observation: Observation) => T): (observation: Observation) => T {
  const known = new WeakMap<Observation['offers'], { readonly value: T }>()
  return (observation) => {
    const entry = known.get(observation.offers)
    if (entry !== undefined) return entry.value
    const value = read(observation)
    known.set(observation.offers, { value })
    return value
  }
}

/** The offer whose receiver and price are shown: the first judged one, the cheapest of its key. */
export const mainOffer = remember((observation): ObservedOffer | undefined => {
  const [first, ...others] = judgedOffers(observation)
  if (first === undefined) return undefined
  return others
    .filter((offer) => offerKey(offer) === offerKey(first))
    .reduce((best, offer) => (BigInt(offer.amountAtomic) < BigInt(best.amountAtomic) ? offer : best), first)
})

/** Decimals of an offer's asset where they are known: canonical USDC has 6 on every network. */
export function knownDecimals(offer: Pick<ObservedOffer, 'network' | 'asset'>): number | null {
  return isCanonicalUsdc(offer.network, offer.asset) ? USDC_DECIMALS : null
}

/** Receivers by offer key. */
export type ReceiverSets = ReadonlyMap<string, ReadonlySet<string>>

/** The receivers that one observation names, by offer key; hex in lower case. */
export const receiverSets = remember((observation): ReceiverSets => {
  const sets = new Map<string, Set<string>>()
  for (const offer of judgedOffers(observation)) {
    const key = offerKey(offer)
    const set = sets.get(key) ?? new Set()
    sets.set(key, set.add(normalAddress(offer.payTo)))
  }
  return sets
})

/** The form in which receivers are compared: hex in lower case, others as they are. */
export function normalAddress(address: string): string {
  return address.startsWith('0x') ? address.toLowerCase() : address
}

/**
 * Whether two looks name different receivers: no receiver in common at some key that both have, or none in common
 * at all. A network that is added or dropped is no difference while a receiver stays.
 */
export function receiversDiffer(a: ReceiverSets, b: ReceiverSets): boolean {
  if (a === b || a.size === 0 || b.size === 0) return false
  for (const [key, receivers] of a) {
    const others = b.get(key)
    if (others !== undefined && isDisjoint(receivers, others)) return true
  }
  return isDisjoint(
    new Set([...a.values()].flatMap((set) => [...set])),
    new Set([...b.values()].flatMap((set) => [...set])),
  )
}

function isDisjoint(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const item of a) if (b.has(item)) return false
  return true
}

/** Terms that were measured over some looks, each key and receiver with its range of amounts. */
export function collectTerms(observations: readonly Observation[]): Term[] {
  const terms = new Map<string, Term>()
  for (const observation of observations) {
    for (const offer of observation.offers) {
      const id = `${offer.x402Version} ${offerKey(offer)} ${offer.payTo.toLowerCase()} ${observation.method}`
      const known = terms.get(id)
      const amount = BigInt(offer.amountAtomic)
      const min =
        known === undefined || amount < BigInt(known.amountAtomicMin) ? amount : BigInt(known.amountAtomicMin)
      const max =
        known === undefined || amount > BigInt(known.amountAtomicMax) ? amount : BigInt(known.amountAtomicMax)
      terms.set(id, {
        x402Version: offer.x402Version,
        scheme: offer.scheme,
        network: offer.network,
        asset: offer.asset,
        payTo: offer.payTo,
        amountAtomicMin: min.toString(),
        amountAtomicMax: max.toString(),
        method: observation.method,
      })
    }
  }
  return [...terms.values()]
}
