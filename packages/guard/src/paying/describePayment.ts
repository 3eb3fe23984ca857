import { type CanonicalUrl, formatUsdc } from '@touchstone402/shared'
import { registrableDomain } from '../decide/registrableDomain.ts'
import type { Candidate } from '../decide/screen.ts'
import type { ViewQuery } from '../ledger/ledger.ts'
import type { PaymentIntent } from '../types.ts'
import { hideQuery } from './identifyCall.ts'
import { withoutFragment } from './request.ts'

type Call = { method: string; url: string }

/**
 * Describes the payment of an offer for a call, with a hash in place of its query unless `keepUrl` is set.
 * `canonical` is absent if the URL is invalid.
 */
export function toIntent(
  call: Call,
  { offer, usdMicros, facilitator }: Candidate,
  canonical: CanonicalUrl | undefined,
  keepUrl: boolean,
): PaymentIntent {
  const url = withoutFragment(call.url)
  return Object.freeze({
    url: keepUrl || canonical === undefined ? url : hideQuery(url, canonical.key),
    endpoint: canonical?.key ?? '',
    host: canonical?.host ?? '',
    method: call.method,
    network: offer.network,
    asset: offer.asset,
    payTo: offer.payTo,
    scheme: facilitator === null ? 'exact' : 'upto',
    facilitator,
    amountAtomic: offer.amountAtomic,
    amountUsd: formatUsdc(usdMicros),
    maxTimeoutSeconds: offer.maxTimeoutSeconds,
  })
}

/** Returns the facts by which the ledger looks up a prospective payment. */
export function toQuery(
  call: string,
  { host, hostname, key: endpoint }: CanonicalUrl,
  { offer, facilitator }: Candidate,
  task: string | null = null,
): ViewQuery {
  const { network, asset, payTo } = offer
  const place = { host, domain: registrableDomain(hostname), endpoint, call }
  const byTempo = offer.other?.method === 'tempo' ? ({ scheme: 'tempo' } as const) : {}
  const scheme = facilitator === null ? byTempo : ({ scheme: 'upto' } as const)
  return { ...place, network, asset, payTo, ...scheme, task }
}
