import type { Observation, ObservedOffer } from '../../facts/facts.ts'
import { vouchedOffers } from '../offers.ts'
import { LIMITS } from '../spec.ts'

/** Maximum number of offers of one look that are judged, and of their characters. */
const MAX_OFFERS = 32
const MAX_LENGTH = 4500
/** Characters of an offer beside its texts. */
const OVERHEAD = 30

/**
 * Limits a look to the offers that can be kept, those that a verdict vouches for first. Beyond, nobody can tell which
 * offer a client will take, so such a look counts as one whose offers contradict each other.
 */
export function limitLook(look: Observation): Observation {
  const { offers, disagreements, problems } = look
  const told = JSON.stringify([disagreements, problems]).length
  const isSmall = offers.length <= MAX_OFFERS && lengthOf(offers) <= MAX_LENGTH
  if (isSmall && told <= MAX_LENGTH / 4) return look
  let length = 0
  const vouched = vouchedOffers(look)
  const ranked = [...vouched, ...offers.filter((offer) => !vouched.includes(offer))]
  const kept = ranked.slice(0, MAX_OFFERS).filter((offer) => {
    length += lengthOf([offer])
    return length <= MAX_LENGTH
  })
  const [first] = kept
  const crowded = first === undefined ? [] : [{ field: 'payTo', ...keyOf(first), values: [] } as const]
  const contradictions = told <= MAX_LENGTH / 4 && disagreements.length > 0 ? disagreements : crowded
  return {
    ...look,
    offers: kept,
    disagreements: contradictions.map((one) => ({ ...one, values: [...one.values] })),
    problems: problems.slice(0, 20),
  }
}

const keyOf = ({ network, asset, scheme }: ObservedOffer) => ({ network, asset, scheme })

function lengthOf(offers: readonly ObservedOffer[]): number {
  return offers.reduce(
    (sum, { scheme, network, asset, payTo, amountAtomic, unsafeFlow }) =>
      sum +
      OVERHEAD +
      scheme.length +
      network.length +
      asset.length +
      payTo.length +
      amountAtomic.length +
      (unsafeFlow ?? '').length,
    0,
  )
}

/**
 * Keeps the last five looks, by which the terms are shown; fewer if together they have more than 32 different offers,
 * which shows fewer terms.
 * @param least number that is kept in any case. @default 1
 */
export function keepLooks(looks: readonly Observation[], least = 1): readonly Observation[] {
  const kept = looks.slice(-LIMITS.termsProbes)
  while (kept.length > least && isCrowded(kept)) kept.shift()
  return kept
}

/** Whether the different lists of offers are more than may be kept. */
function isCrowded(looks: readonly Observation[]): boolean {
  if (looks.every(({ offers }) => offers.length <= MAX_OFFERS / LIMITS.termsProbes)) return false
  const lists = new Map(looks.map(({ offers }) => [JSON.stringify(offers), offers]))
  const all = [...lists.values()].flat()
  return all.length > MAX_OFFERS || lengthOf(all) > MAX_LENGTH
}
