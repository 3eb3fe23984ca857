import type { CanonicalUrl } from '@touchstone402/shared'
import { type HostTerms, hasWildcards, hostTerms } from '../decide/hosts.ts'
import type { FullChallenge } from '../decide/otherProtocols.ts'
import type { Report } from '../errors.ts'
import type { CallQuery, OnceKey } from '../ledger/ledger.ts'
import { readUrl } from '../readUrl.ts'
import { callOf } from './calls/identifyCall.ts'
import { type CallRequest, signalOf, staysOnOrigin, withoutFragment } from './calls/request.ts'
import type { GuardContext } from './guardContext.ts'

/** A call that was answered with a 402. */
export type ChallengedCall = {
  /** Method that was answered with the 402. */
  method: string
  /** Method of the caller's request. @default method */
  requestedMethod?: string
  /** URL of the caller's request. */
  requestedUrl: string
  /** URL of the response, after same-origin redirects. */
  url: string
  challenge: FullChallenge
  /** Distinguishes calls to the URL. */
  once: OnceKey
  /** Hash of the body, see `identifyBody`. @default null, not known */
  body?: string | null
  traceparent: string | null
  /** The caller's request; see `Approval`. @default null */
  asked?: CallRequest
  /** The request with its body unread, to describe it. @default undefined, which describes no body */
  copy?: CallRequest | undefined
  /** Who may share its answer, see `audienceOf`. @default null, for none */
  audience?: string | null
  /** Mark of the call's begin, see `Flights`. @default now */
  begun?: number
  /** Whether a hooked client pays for it. @default false */
  claimed?: boolean
  /** The live check that was bought for it. @default none yet */
  liveCheck?: Report | undefined
}

/** A challenged call with what the policy and the ledger know it by. */
export type ReadCall = ChallengedCall & {
  canonical: CanonicalUrl
  terms: HostTerms
  query: CallQuery & { once: OnceKey }
  /** The endpoint that the caller asked for, if it was redirected. */
  from: string | undefined
  signal: AbortSignal | null
  begun: number
}

// Loaded with the first refusal.
export const refusing = () => import('./refuseOffer.ts')

/** Reads the URL of a call. @throws GuardError URL_INVALID, REDIRECT_REFUSED, CONFIGURATION */
export async function readCall(context: GuardContext, call: ChallengedCall): Promise<ReadCall> {
  const { policy, cap, flights } = context
  const { url, requestedUrl, method, requestedMethod = method, traceparent, asked } = call
  const canonical = readUrl(url)
  if (typeof canonical === 'string') {
    const details = `${canonical}.`
    throw (await refusing()).refuseCall(context, 'URL_INVALID', { method, traceparent, details })
  }
  const endpoint = canonical.key
  if (!staysOnOrigin(requestedUrl, url))
    throw (await refusing()).refuseCall(context, 'REDIRECT_REFUSED', { endpoint, method, traceparent })
  if (hasWildcards(policy))
    (await import('../decide/sharedHosting.ts')).refuseSharedHosting(policy, canonical)
  // By the URL that the caller asked for: a redirect to a new address of the origin must not make a retry a new call.
  const requested = readUrl(requestedUrl)
  const key = typeof requested === 'string' ? endpoint : requested.key
  return {
    ...call,
    canonical,
    terms: hostTerms(policy, canonical),
    query: {
      call: callOf(requestedMethod, withoutFragment(requestedUrl), key),
      once: call.once,
      agent: cap.agent,
    },
    from: key === endpoint ? undefined : key,
    signal: asked ? signalOf(asked) : null,
    begun: call.begun ?? flights.mark(),
  }
}
