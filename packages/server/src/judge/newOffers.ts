import { sameAddress } from '@touchstone402/shared'
import type { Announcement, Observation, ObservedOffer, Time } from '../facts/facts.ts'
import { isByOldReceiver } from './announced.ts'
import { formKey, kindOf, normalAddress, remember, signableOffers } from './offers.ts'
import type { Past } from './past.ts'
import { LIMITS } from './spec.ts'

/** An offer of the last probes in a form that was not there before, and is not confirmed yet. */
export type NewOffer = {
  /** `terms_unproven` if its receiver is another than the seller's others on that kind of chain, and nothing proves it. */
  readonly flag: 'terms_new' | 'terms_unproven'
  readonly offer: ObservedOffer
  readonly from: Time
  /** Ids of the first two probes that saw it. */
  readonly ids: readonly string[]
  /** The seller's other receivers on that kind of chain. */
  readonly others: readonly string[]
}

const offerIdOf = (offer: ObservedOffer) => `${formKey(offer)} ${normalAddress(offer.payTo)}`
const formsOf = remember((probe) => new Set(signableOffers(probe).map(formKey)))
const idsOf = remember((probe) => new Set(signableOffers(probe).map(offerIdOf)))

/**
 * Finds offers of the last probes, which terms are read from, on a network, asset, scheme or transfer method that the
 * endpoint did not have at first. One is confirmed once it stayed for 24 h, seen by two client identities, or for seven days
 * if it pays another receiver; or where one of the old receivers announced its receiver. The offers of the first probe are exempt, since nothing is known from before.
 * @param probes that returned terms, oldest first
 * @param named the last probes that terms are read from
 */
export function findNewOffers(
  probes: readonly Observation[],
  named: readonly Observation[],
  { state }: Pick<Past, 'state'>,
  announcements: readonly Announcement[],
  now: Time,
): readonly NewOffer[] {
  const [first] = probes
  if (first === undefined) return []
  const latest = [...new Set([...named, ...probes.slice(-LIMITS.termsProbes)])]
  const current = new Map(
    latest.flatMap((probe) => signableOffers(probe).map((offer) => [offerIdOf(offer), offer])),
  )
  const isOld = (offer: ObservedOffer) =>
    formsOf(first).has(formKey(offer)) ||
    (state?.terms.some(
      ({ network, asset, scheme }) =>
        network === offer.network && scheme === offer.scheme && sameAddress(asset, offer.asset),
    ) ??
      false)
  const added = [...current.values()].filter((offer) => !isOld(offer))
  if (added.length === 0) return []
  const old = [...signableOffers(first), ...[...current.values()].filter(isOld)]
  const isKnown = (address: string) => old.some(({ payTo }) => sameAddress(payTo, address))
  const isProven = ({ network, payTo }: ObservedOffer) =>
    announcements.some(
      (one) =>
        isByOldReceiver(one) &&
        one.validFrom <= now &&
        one.network === network &&
        sameAddress(one.newPayTo, payTo) &&
        isKnown(one.oldPayTo),
    )
  const isAdded = (offer: ObservedOffer) => added.some((one) => formKey(one) === formKey(offer))
  const known = [first, ...latest].flatMap(signableOffers).filter((offer) => !isAdded(offer))
  return added.flatMap((offer): NewOffer[] => {
    const has = (probe: Observation) => idsOf(probe).has(offerIdOf(offer))
    // Since it was last absent: one that comes and goes is never confirmed.
    const stays = probes.slice(probes.findLastIndex((probe) => !has(probe)) + 1)
    const seen = stays.length > 1 ? stays : latest.filter(has)
    const from = seen[0]?.at ?? now
    const others = known.filter((other) => kindOf(other) === kindOf(offer)).map(({ payTo }) => payTo)
    const isOther = others.length > 0 && !others.some((payTo) => sameAddress(payTo, offer.payTo))
    const neededMs = isOther ? LIMITS.otherReceiverMs : LIMITS.offerConfirmedMs
    const isConfirmed =
      new Set(stays.map(({ client }) => client)).size > 1 && (stays.at(-1)?.at ?? from) - from >= neededMs
    if (isConfirmed || isProven(offer)) return []
    const ids = seen.slice(0, 2).map(({ id }) => id)
    return [
      { flag: isOther ? 'terms_unproven' : 'terms_new', offer, from, ids, others: [...new Set(others)] },
    ]
  })
}

/** Returns a probe without the offers that are not confirmed. */
export function withoutNew(probe: Observation, added: readonly NewOffer[]): Observation {
  if (added.length === 0) return probe
  const forms = new Set(added.map(({ offer }) => formKey(offer)))
  return { ...probe, offers: probe.offers.filter((offer) => !forms.has(formKey(offer))) }
}
