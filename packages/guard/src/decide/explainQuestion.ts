import { type CanonicalUrl, formatUsdc, usdToAtomic } from '@touchstone402/shared'
import { formatMicros } from '../formatUsd.ts'
import type { ReasonCode } from '../reasons.ts'
import type { PriceBefore } from './ask.ts'
import type { LedgerView, PaidPrice } from './budget.ts'
import type { HostTerms } from './hosts.ts'
import type { UsualPrice } from './policy.ts'
import { MAX_PRICE_FACTOR } from './policySchema.ts'
import type { PricedOffer } from './screen.ts'

type Asked = { code?: ReasonCode; chosen: PricedOffer; usual?: UsualPrice }
type Place = { url: CanonicalUrl; terms: HostTerms; view: LedgerView }

/** Returns the values of a question in a sentence, and the part of a policy that would answer it. */
export function explainQuestion(
  { code, chosen: { offer, usdMicros }, usual }: Asked,
  { url, terms, view }: Place,
): { details?: string; allowedBy?: string } {
  if (code === 'RECEIVER_PIN_MISMATCH')
    return { details: `It was ${view.pinnedReceiver}, and ${offer.payTo} is asked for.` }
  if (code === 'TERMS_NOT_USUAL') return { details: `${offer.asset} on ${offer.network} is asked for.` }
  const price = formatMicros(usdMicros)
  if (code === 'OVER_ASK_LIMIT') {
    const most = formatMicros(usdToAtomic(terms.askAboveUsd ?? '0'))
    return { details: `It is ${price}; at most ${most} is paid without approval.` }
  }
  if (usual === undefined) return {}
  const before = {
    here: `${describePrice(usual)} at ${url.key}`,
    elsewhere: `${describePrice(usual)} at other endpoints of ${url.host}`,
    measured: `measured as ${formatMicros(usual.usdMicros)} at ${url.key}`,
  }[usual.seen]
  const details = `It was ${before}; ${price} is asked for, and at most ${formatMicros(usual.most)} is paid without approval.`
  const factor = usual.usdMicros === 0n ? null : (usdMicros + usual.usdMicros - 1n) / usual.usdMicros
  if (factor === null || factor > MAX_PRICE_FACTOR) return { details }
  const allowedBy = `"hosts": {"${terms.group?.entry ?? url.host}": {"priceFactor": ${factor}}}`
  return { details, allowedBy }
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
const describePrice = ({ usdMicros, at }: PaidPrice): string =>
  at === null ? formatMicros(usdMicros) : `${formatMicros(usdMicros)} on ${dayOf(at)}`

/** Returns the price of before for a question. */
export function toPriceBefore({ usual, dearestAtHost }: LedgerView): PriceBefore | null {
  const paid = usual ?? dearestAtHost
  if (paid === null) return null
  const paidAt = paid.at === null ? null : new Date(paid.at).toISOString()
  return { usd: formatUsdc(paid.usdMicros), isHere: usual !== null, paidAt }
}
