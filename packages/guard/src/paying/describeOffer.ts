import { type CanonicalUrl, formatUsdc } from '@touchstone402/shared'
import { registrableDomain } from '../decide/registrableDomain.ts'
import type { Candidate } from '../decide/screen.ts'
import type { ViewQuery } from '../ledger/ledger.ts'
import type { PaymentIntent } from '../types.ts'
import { hideQuery } from './calls/identifyCall.ts'
import { withoutFragment } from './calls/request.ts'

type Call = { method: string; url: string }

/** Describes the payment of an offer for a call, with a hash in place of its query unless `keepUrl` is set. */
export function toIntent(
  call: Call,
  { offer, usdMicros, facilitator }: Candidate,
  { host, key: endpoint }: CanonicalUrl,
  keepUrl: boolean,
): PaymentIntent {
  const url = withoutFragment(call.url)
  return Object.freeze({
    url: keepUrl ? url : hideQuery(url, endpoint),
    endpoint,
    host,
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
  whose: Pick<ViewQuery, 'task' | 'agent' | 'asked'>,
): ViewQuery {
  const { network, asset, payTo } = offer
  const place = { host, domain: registrableDomain(hostname), endpoint, call }
  const query = { ...place, network, asset, payTo, ...whose }
  if (facilitator !== null) return { ...query, scheme: 'upto' }
  return offer.other?.method === 'tempo' ? { ...query, scheme: 'tempo' } : query
}
