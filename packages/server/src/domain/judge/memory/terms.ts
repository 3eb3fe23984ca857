import type { Observation, Time } from '../../facts/facts.ts'
import { mainOffer, offerKey, type ReceiverSets, receiverSets, receiversDiffer, remember } from '../offers.ts'

/** The compared parts of the terms that a probe received. */
export type Terms = {
  readonly receivers: ReceiverSets
  readonly price: {
    readonly key: string
    readonly amountAtomic: string
    readonly unsafeFlow: string | null
  } | null
  /** Whether the offers contradict each other. */
  readonly disagrees: boolean
}

/** A probe that returned terms. */
export type Seen = { readonly id: string; readonly at: Time; readonly client: string; readonly terms: Terms }

/** Whether two probes differ in some respect. */
export type Differ = (a: Terms, b: Terms) => boolean

/** Reads the terms of a probe. */
export const termsOf = (probe: Observation): Terms =>
  probe.disagreements.length > 0 ? disagreeingTermsOf(probe) : agreeingTermsOf(probe)

const agreeingTermsOf = remember((probe) => readTerms(probe, false))
const disagreeingTermsOf = remember((probe) => readTerms(probe, true))

function readTerms(probe: Observation, disagrees: boolean): Terms {
  const offer = mainOffer(probe)
  return {
    receivers: receiverSets(probe),
    price:
      offer === undefined
        ? null
        : { key: offerKey(offer), amountAtomic: offer.amountAtomic, unsafeFlow: offer.unsafeFlow },
    disagrees,
  }
}

/** Keeps of a probe what comparisons need. */
export function toSeen(probe: Observation): Seen {
  return { id: probe.id, at: probe.at, client: probe.client, terms: termsOf(probe) }
}

/** Whether two probes name different receivers. */
export const payeesDiffer: Differ = (a, b) => receiversDiffer(a.receivers, b.receivers)

/** Whether two probes ask different amounts or ways to pay. */
export const pricesDiffer: Differ = (a, b) => {
  if (a.price === null || b.price === null) return a.price !== b.price
  return (
    a.disagrees !== b.disagrees ||
    a.price.amountAtomic !== b.price.amountAtomic ||
    a.price.unsafeFlow !== b.price.unsafeFlow ||
    a.price.key !== b.price.key
  )
}

/** Whether two probes show different receivers, amounts or ways to pay. */
export const termsDiffer: Differ = (a, b) => payeesDiffer(a, b) || pricesDiffer(a, b)

const texts = new WeakMap<Terms, string>()

/** Returns a text that is equal for equal terms. */
export function textOf(terms: Terms): string {
  const known = texts.get(terms)
  if (known !== undefined) return known
  const { receivers, price, disagrees } = terms
  const text = JSON.stringify([receivers, price === null ? null : Object.values(price), disagrees])
  texts.set(terms, text)
  return text
}
