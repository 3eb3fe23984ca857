import type { CanonicalUrl } from '@touchstone402/shared'
import { type HostTerms, hostTerms } from '../decide/hosts.ts'
import type { FullChallenge } from '../decide/otherProtocols.ts'
import type { Report } from '../errors.ts'
import type { CallQuery, OnceKey } from '../ledger/ledger.ts'
import { readUrl } from '../readUrl.ts'
import { callOf } from './calls/identifyCall.ts'
import { type CallRequest, signalOf, staysOnOrigin, withoutFragment } from './calls/request.ts'
import type { GuardContext, Refused } from './guardContext.ts'

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
  asked?: CallRequest | null
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

/** A challenged call, and what the policy and the ledger know it by. */
export type ReadCall = Required<Omit<ChallengedCall, 'copy' | 'liveCheck'>> &
  Pick<ChallengedCall, 'copy' | 'liveCheck'> & {
    canonical: CanonicalUrl
    terms: HostTerms
    query: CallQuery
    /** The endpoint that the caller asked for, if it was redirected. */
    from: string | undefined
    /** Fields of the call for refusals. */
    facts: Pick<Refused, 'endpoint' | 'method' | 'traceparent'>
    signal: AbortSignal | null
  }

/** A call that is refused for its URL. */
type Unread = { code: 'URL_INVALID' | 'REDIRECT_REFUSED'; facts: Refused }

/** Reads the URL of a call. */
export function readCall({ policy, cap, flights }: GuardContext, call: ChallengedCall): ReadCall | Unread {
  const { url, requestedUrl, method, requestedMethod = method, traceparent, once, asked = null } = call
  const canonical = readUrl(url)
  if (typeof canonical === 'string')
    return { code: 'URL_INVALID', facts: { method, traceparent, details: `${canonical}.` } }
  const facts = { endpoint: canonical.key, method, traceparent }
  if (!staysOnOrigin(requestedUrl, url)) return { code: 'REDIRECT_REFUSED', facts }
  // By the URL that the caller asked for: a redirect to a new address of the origin must not make a retry a new call.
  const requested = readUrl(requestedUrl)
  const { key } = typeof requested === 'string' ? canonical : requested
  return {
    audience: null,
    body: null,
    claimed: false,
    begun: flights.mark(),
    ...call,
    asked,
    requestedMethod,
    canonical,
    terms: hostTerms(policy, canonical),
    query: {
      call: callOf(requestedMethod, withoutFragment(requestedUrl), key),
      once,
      agent: cap.agent,
    },
    from: key === canonical.key ? undefined : key,
    facts,
    signal: asked && signalOf(asked),
  }
}
