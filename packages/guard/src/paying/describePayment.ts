import { type CanonicalUrl, formatUnits, USDC_DECIMALS } from '@touchstone402/shared'
import type { Candidate } from '../decide/screen.ts'
import type { ViewQuery } from '../ledger/ledger.ts'
import type { PaymentIntent } from '../types.ts'
import { callOf } from './identifyCall.ts'
import { withoutFragment } from './request.ts'

type Call = { method: string; url: string }

/** Describes the payment of an offer for a call. `canonical` is absent if the URL is invalid. */
export function toIntent(
  call: Call,
  { offer, usdMicros }: Candidate,
  canonical?: CanonicalUrl,
): PaymentIntent {
  return {
    url: withoutFragment(call.url),
    endpoint: canonical?.key ?? '',
    host: canonical?.host ?? '',
    method: call.method,
    network: offer.network,
    asset: offer.asset,
    payTo: offer.payTo,
    amountAtomic: offer.amountAtomic,
    amountUsd: formatUnits(usdMicros, USDC_DECIMALS),
    maxTimeoutSeconds: offer.maxTimeoutSeconds,
  }
}

/** Returns the key under which the ledger looks up a prospective payment. */
export function toQuery({ method, url }: Call, canonical: CanonicalUrl, { offer }: Candidate): ViewQuery {
  const { network, asset } = offer
  const call = callOf(method, withoutFragment(url), canonical.key)
  return { host: canonical.host, endpoint: canonical.key, call, network, asset }
}
