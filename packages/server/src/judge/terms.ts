import type { Observation } from '../facts/facts.ts'
import {
  formKey,
  highestAmounts,
  mainOffer,
  normalAddress,
  type ReceiverSets,
  receiverSets,
  receiversDiffer,
  remember,
  signableOffers,
} from './offers.ts'
import { LIMITS } from './spec.ts'

/** The compared parts of the terms that a probe received. Probes that saw the same offers share one object. */
export type Terms = {
  readonly receivers: ReceiverSets
  /** Highest amount of each form. */
  readonly amounts: ReadonlyMap<string, bigint>
  /** Form of the main offer. */
  readonly main: string
  /** Form and receiver of the first offer, which most clients take. */
  readonly front: string
  /** Form and receiver of every offer. */
  readonly listed: ReadonlySet<string>
  /** Whether the offers contradict each other. */
  readonly disagrees: boolean
}

/** A probe that returned terms. */
export type Seen = {
  readonly id: string
  readonly at: number
  readonly client: string
  /** Hash of the request; undefined for probes that did not record it. */
  readonly request: string | undefined
  /** The key that signed all its offers. */
  readonly signer: string | undefined
  readonly terms: Terms
}

/** Whether the terms of two probes differ in some respect. */
export type Differ = (a: Terms, b: Terms) => boolean

/** Reads the terms of a probe. */
export const termsOf = (probe: Observation): Terms =>
  probe.disagreements.length > 0 ? disagreeingTermsOf(probe) : agreeingTermsOf(probe)

const agreeingTermsOf = remember((probe) => readTerms(probe, false))
const disagreeingTermsOf = remember((probe) => readTerms(probe, true))

function readTerms(probe: Observation, disagrees: boolean): Terms {
  const main = mainOffer(probe)
  const listed = signableOffers(probe).map((offer) => `${formKey(offer)} ${normalAddress(offer.payTo)}`)
  return {
    receivers: receiverSets(probe),
    amounts: highestAmounts(probe),
    main: main === undefined ? '' : formKey(main),
    front: listed[0] ?? '',
    listed: new Set(listed),
    disagrees,
  }
}

/** Selects what comparisons need of a probe. */
export function toSeen(probe: Observation): Seen {
  const { id, at, client, request, offersSignedBy: signer } = probe
  return { id, at, client, request, signer, terms: termsOf(probe) }
}

/** Whether two probes name different receivers. */
export const payeesDiffer: Differ = (a, b) => receiversDiffer(a.receivers, b.receivers)

/**
 * Whether two probes ask different amounts for an offer that both have. Offers beside the main one may follow a rate, so
 * steps of up to 20 % are one amount.
 */
export const amountsDiffer: Differ = (a, b) => {
  if (a === b) return false
  for (const [form, amount] of a.amounts) {
    const other = b.amounts.get(form)
    if (other === undefined || other === amount) continue
    if (form === a.main || form === b.main || isFar(amount, other)) return true
  }
  return false
}

/** Whether two probes ask amounts that are more than 20 % apart for an offer that both have. */
const amountsFarApart: Differ = (a, b) =>
  a !== b &&
  [...a.amounts].some(([form, amount]) => {
    const other = b.amounts.get(form)
    return other !== undefined && isFar(amount, other)
  })

/** Whether two probes ask different amounts or ways to pay: one has an offer in front that the other has not at all. */
export const pricesDiffer: Differ = (a, b) => waysDiffer(a, b) || amountsDiffer(a, b)

/** Whether one probe has an offer in front that the other has not at all, or contradicts itself alone. */
const waysDiffer: Differ = (a, b) =>
  a !== b && (a.disagrees !== b.disagrees || !a.listed.has(b.front) || !b.listed.has(a.front))

/** Whether two probes show different receivers, amounts or ways to pay. */
export const termsDiffer: Differ = (a, b) => payeesDiffer(a, b) || pricesDiffer(a, b)

/** Returns a comparison that takes prices within 20 % for equal, as tests of prices are. */
export function ignoringSmallPrices(differ: Differ): Differ {
  if (differ === termsDiffer) return (a, b) => payeesDiffer(a, b) || waysDiffer(a, b) || amountsFarApart(a, b)
  return differ === amountsDiffer ? amountsFarApart : differ
}

/** Whether two amounts are more than 20 % apart. */
export function isFar(a: bigint, b: bigint): boolean {
  const [low, high] = a < b ? [a, b] : [b, a]
  return high * 100n > low * BigInt(100 + LIMITS.priceJumpPct)
}
