import type { Observation, Time } from '../facts/facts.ts'
import { mainOffer, offerKey, type ReceiverSets, receiverSets, receiversDiffer, remember } from './offers.ts'

/** The compared parts of the terms that a probe received. Probes that saw the same offers share one object. */
export type Terms = {
  readonly receivers: ReceiverSets
  /** Amount and way to pay of the main offer, and whether the offers contradict each other. */
  readonly price: string
}

/** A probe that returned terms. */
export type Seen = { readonly id: string; readonly at: Time; readonly client: string; readonly terms: Terms }

/** Whether the terms of two probes differ in some respect. */
export type Differ = (a: Terms, b: Terms) => boolean

/** Reads the terms of a probe. */
export const termsOf = (probe: Observation): Terms =>
  probe.disagreements.length > 0 ? disagreeingTermsOf(probe) : agreeingTermsOf(probe)

const agreeingTermsOf = remember((probe) => readTerms(probe, false))
const disagreeingTermsOf = remember((probe) => readTerms(probe, true))

function readTerms(probe: Observation, disagrees: boolean): Terms {
  const offer = mainOffer(probe)
  const price = offer === undefined ? [] : [offerKey(offer), offer.amountAtomic, offer.unsafeFlow, disagrees]
  return { receivers: receiverSets(probe), price: price.join(' ') }
}

/** Selects what comparisons need of a probe. */
export function toSeen(probe: Observation): Seen {
  return { id: probe.id, at: probe.at, client: probe.client, terms: termsOf(probe) }
}

/** Whether two probes name different receivers. */
export const payeesDiffer: Differ = (a, b) => receiversDiffer(a.receivers, b.receivers)

/** Whether two probes ask different amounts or ways to pay. */
export const pricesDiffer: Differ = (a, b) => a.price !== b.price

/** Whether two probes show different receivers, amounts or ways to pay. */
export const termsDiffer: Differ = (a, b) => payeesDiffer(a, b) || pricesDiffer(a, b)
