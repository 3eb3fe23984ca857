import type { Report } from '../errors.ts'
import { approve } from '../paying/approve.ts'
import { identifyBody, identifyCall } from '../paying/calls/identifyCall.ts'
import {
  type CallRequest,
  copyRequest,
  isRequest,
  noHeaders,
  readRequest,
  redirectManually,
  signalOf,
  staysOnOrigin,
  untilAborted,
} from '../paying/calls/request.ts'
import { readChallenge, rewriteChallenge } from '../paying/challenge.ts'
import { audienceOf } from '../paying/flights.ts'
import { type GuardContext, refuse } from '../paying/guardContext.ts'
import { carriesPayment } from '../paying/payment.ts'
import { refusePending } from '../paying/paymentFacts.ts'
import { findForRetry } from '../paying/pendingPayment.ts'
import { payOnce, resend } from '../paying/sendPayment.ts'
import { hasExtension, RECEIPT_HEADERS, releaseApproval } from '../paying/settlement.ts'
import { markCheck } from '../paymentOf.ts'
import { readUrl } from '../readUrl.ts'
import type { FetchLike } from '../types.ts'

/** Options of {@link guardInnerFetch}. */
export type InnerFetchOptions = {
  /** Address that pays through this `fetch`; needed if several wallets share a ledger and make equal calls. */
  payer?: string | undefined
  /**
   * Lets the body of the paid request differ from the approved one, for libraries that sign or date each request.
   * @default false
   */
  bodyMayChange?: boolean | undefined
  /** The transport of the requests; answers are shared within one. @default the inner fetch */
  transport?: object | undefined
}

/**
 * Wraps the `fetch` below a payment library: `wrapFetchWithPayment(guard.fetch(fetch), client)`.
 * Responses other than a 402 pass unchanged. A 402 is reduced to the approved entry, and the payment that follows is
 * sent only if it equals the approval. A retry of a call with an unresolved payment sends that payment again.
 */
export function guardInnerFetch(
  context: GuardContext,
  inner: FetchLike,
  { payer, transport = inner, bodyMayChange = false }: InnerFetchOptions = {},
): FetchLike {
  return async (input, init) => {
    const request = readSafely(context, input, init)
    refuseAboveLibrary(context, request)
    const mayCarry = request.headers !== noHeaders() || request.init?.body
    const signsIn = mayCarry && (await checkForeign(context, request))
    const isFree = signsIn || context.schemes.mpp?.carriesFree(request) === true
    if (isFree && (await context.ledger.isStopped()))
      throw refuse(context, 'STOPPED', { method: request.method })
    if (!isFree && carriesPayment(request.headers)) return payOnce(context, inner, request)
    const begun = context.flights.begin(request.url)
    const call = { payer: payer ?? null, transport, bodyMayChange, begun, isFree, asked: request }
    try {
      const known = isFree ? undefined : await findForRetry(context, request, call.payer)
      const repeat = () => ({ begun, audience: audienceFor(context, request, call) })
      const answer = known && (await resend(context, inner, request, known.payment, known.stored, repeat()))
      return answer ?? (await ask(context, inner, request, call))
    } finally {
      context.flights.end(request.url)
    }
  }
}

/** A call, from its first request on. */
type Call = {
  payer: string | null
  transport: object
  bodyMayChange: boolean
  begun: number
  isFree: boolean
  asked: CallRequest
  /** The live check that was bought for it. */
  liveCheck?: Report | undefined
}

/** Sends a request without a payment, and judges a 402. */
async function ask(
  context: GuardContext,
  inner: FetchLike,
  request: CallRequest,
  own: Call,
): Promise<Response> {
  const { begun, isFree, asked } = own
  const copy = copyRequest(request)
  const response = await (isFree
    ? inner(...redirectManually(request, request.url))
    : inner(request.input, request.init))
  if (response.status !== 402) {
    const isPaid = RECEIPT_HEADERS.some((name) => response.headers.has(name))
    // Loaded with the first such answer, since the guard sees the payments of most.
    if (isPaid && !isFree)
      await (await import('../paying/noteUnseen.ts')).noteUnseen(context, request, response)
    return markCheck(response, own.liveCheck)
  }
  const audience = audienceFor(context, request, own)
  const { method: requestedMethod, url: requestedUrl } = request
  const url = response.url === '' ? requestedUrl : response.url
  const traceparent = request.headers.get('traceparent')
  const judge = async () => {
    const challenge = await readChallenge(context, response, request.headers)
    const place = { challenge, requestedUrl, url }
    const free = context.schemes.mpp?.findFree(context.policy, place, context.now())
    if (free !== undefined) return { challenge, result: { offer: free } }
    // Loaded with the first 402 that asks for a sign-in, since few sellers do.
    const signIn = [challenge.header, challenge.body].some((one) => hasExtension(one, 'sign-in-with-x'))
      ? (await import('../paying/signIn.ts')).openSignIn(context, { ...place, method: requestedMethod })
      : undefined
    if (signIn?.isAlone) return { challenge, result: { offer: null } }
    const isHere = staysOnOrigin(requestedUrl, url)
    // Loaded with the first redirect, since most calls have none.
    const method =
      isHere && response.redirected
        ? await (await import('../paying/calls/answeredMethod.ts')).answeredMethod(
            inner,
            request,
            copy,
            response,
          )
        : requestedMethod
    if (method === undefined) {
      throw refuse(context, 'REDIRECT_REFUSED', { method: requestedMethod, traceparent })
    }
    const once = await identifyCall(copy ?? request, own.payer)
    const body = own.bodyMayChange ? null : await identifyBody(copy ?? request, once.body)
    const rest = { requestedMethod, once, body, traceparent, begun, audience, liveCheck: own.liveCheck }
    const result = await approve(context, { ...place, ...rest, method, asked, copy })
    if (signIn && 'paymentId' in result) signIn.paymentId = result.paymentId
    return { challenge, result }
  }
  const judged = judge()
  const { challenge, result } = await untilAborted(signalOf(asked), judged).catch((error: unknown) => {
    // An approval that comes later is not used.
    judged
      .then(({ result: late }) => ('paymentId' in late ? releaseApproval(context, late) : undefined))
      .catch(() => {})
    throw error
  })
  if ('offer' in result) {
    const shown = rewriteChallenge(response, challenge, result.offer)
    return 'paymentId' in result ? markCheck(shown, result.liveCheck) : shown
  }
  if ('answer' in result) return result.answer
  const { payment, stored, liveCheck } = result
  if (stored === null || copy === undefined)
    throw refusePending(context, payment, 'PAYMENT_PENDING', traceparent)
  const repeat = { begun, audience, asked, liveCheck }
  const answer = await resend(context, inner, copy, payment, stored, repeat)
  return answer ?? ask(context, inner, copy, { ...own, liveCheck })
}

function audienceFor({ cap }: GuardContext, { headers }: CallRequest, { payer, transport }: Call): string {
  return audienceOf(headers, cap.task?.name ?? null, payer, transport)
}

function refuseAboveLibrary(context: GuardContext, { method, url }: CallRequest): void {
  if (!context.unseenHosts?.size) return
  const canonical = readUrl(url)
  if (typeof canonical === 'string' || !context.unseenHosts.has(canonical.host)) return
  throw refuse(context, 'GUARD_ABOVE_LIBRARY', { endpoint: canonical.key, method })
}

/** Reads a request of a caller. Throws PaymentBlockedError REQUEST_INVALID. */
function readSafely(
  context: GuardContext,
  input: RequestInfo | URL,
  init: RequestInit | undefined,
): CallRequest {
  try {
    return readRequest(input, init)
  } catch (cause) {
    throw refuse(context, 'REQUEST_INVALID', { cause })
  }
}

const FOREIGN = /(^|,)\s*(l402|lsat)\s/i
// In the members of a JSON-RPC request in which clients pay for tools, or in an escape that hides them.
const IN_BODY = /paymentauth|x402|\\u00/

/**
 * Checks the credentials outside the payment headers. Returns whether the request signs in instead of paying.
 * @throws OfferMismatchError CREDENTIAL_NOT_READ for one that was not approved, or a token that the policy refuses
 */
export async function checkForeign(context: GuardContext, request: CallRequest): Promise<boolean> {
  const { url, method, headers, input, init } = request
  const no = (details: string) => refuse(context, 'CREDENTIAL_NOT_READ', { method, details })
  const body = init?.body ?? (isRequest(input) ? input.body : null)
  const mayCarry = typeof body === 'string' ? IN_BODY.test(body) : body !== null
  // Loaded with the first body that may carry a payment, since most are sent in a header.
  const details =
    mayCarry && (await (await import('../paying/bodyPayment.ts')).findUnapproved(context, request))
  if (details) throw no(details)
  const signsIn =
    headers.has('sign-in-with-x') &&
    (await (await import('../paying/signIn.ts')).checkSignIn(context, request))
  if (!FOREIGN.test(headers.get('authorization') ?? '')) return signsIn
  if (context.policy.foreignCredentials === 'refuse') throw no('foreignCredentials refuses L402 tokens.')
  const canonical = readUrl(url)
  const endpoint = typeof canonical === 'string' ? null : canonical.key
  context.emit({ type: 'foreign_credential', reason: FOREIGN_REASON, endpoint, method })
  return signsIn
}

const FOREIGN_REASON = 'L402 tokens move no money by themselves.'
