import type { Offer } from '@touchstone402/shared'
import { decodeChallenge, encodeBase64Json, isRecord, sameAddress, X402_HEADERS } from '@touchstone402/shared'
import type { Field } from '../decide/fields.ts'
import { deepFreeze } from '../freeze.ts'
import { approveNew } from '../paying/approve.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import { callOf, identifyCall } from '../paying/identifyCall.ts'
import { findHolder, fitsIntent, type OpenIntent } from '../paying/intents.ts'
import { decodePayment, type OutgoingPayment } from '../paying/payment.ts'
import { checkResend, findResendable } from '../paying/pendingPayment.ts'
import { refuse } from '../paying/refuse.ts'
import { readRequest, urlOf } from '../paying/request.ts'
import { recordSent, recordSettlement, toReceipt } from '../paying/settlement.ts'
import { readUrl } from '../readUrl.ts'
import { ANY, checkOptions, having, optional } from './checkOptions.ts'

type Creation = { paymentRequired: unknown; selectedRequirements: unknown }

/** The hooks of `x402Client` from `@x402/core` that the guard uses. */
export type HookedClient = {
  onBeforePaymentCreation(hook: (context: Creation) => Promise<void>): unknown
  onAfterPaymentCreation(hook: (context: Creation & { paymentPayload: unknown }) => Promise<void>): unknown
  onPaymentResponse(
    hook: (context: { paymentPayload: unknown; settleResponse?: unknown }) => Promise<void>,
  ): unknown
}

/** The hook of `x402HTTPClient` from `@x402/core` that names the URL of a call. */
export type HookedHttpClient = {
  onPaymentRequired(
    hook: (context: {
      paymentRequired: unknown
      requestUrl?: string | undefined
    }) => Promise<{ headers: Record<string, string> } | undefined>,
  ): unknown
}

/**
 * The call that a hooked client pays for, where its transport does not name it.
 * @example
 * guard.hooks(client, { url: 'https://api.example.com/mcp', method: 'POST' })
 */
export type HookedCall = {
  url: string
  /** @default 'GET' */
  method?: string
  /** The body of the request, which distinguishes calls to one URL. */
  body?: BodyInit | null
}

/** The call, a function that returns the current one, or the `x402HTTPClient` whose transport names it. */
export type CallSource = HookedCall | (() => HookedCall) | HookedHttpClient

const CLIENT = having(
  'an x402Client',
  'onBeforePaymentCreation',
  'onAfterPaymentCreation',
  'onPaymentResponse',
)

const CALL_FIELDS = {
  url: { kind: 'text' },
  method: optional({ kind: 'text' }),
  body: ANY,
} satisfies Record<keyof HookedCall, Field>

/**
 * Adds the guard to an `x402Client`, for transports other than `fetch`, such as MCP. Register it last.
 *
 * Reduces a 402 that an `x402HTTPClient` receives to the approved entry; over other transports judges the entry that
 * the client has chosen. Freezes it, since later hooks could change it, and checks the payload before the client
 * returns it. Reuses an approval of the guarded fetch for the same terms, so that `ask` runs once.
 * @throws ConfigurationError
 */
export function guardClient<Client extends HookedClient>(
  context: GuardContext,
  client: Client,
  source?: CallSource,
): Client {
  checkOptions({ client: CLIENT }, { client })
  const isCall =
    source !== undefined && typeof source !== 'function' && !('onPaymentRequired' in Object(source))
  if (isCall) checkOptions(CALL_FIELDS, source)
  // The URL of each challenge, as the transport names it.
  const urls = new WeakMap<object, string>()
  const callFor = (paymentRequired: unknown): HookedCall | undefined => {
    if (typeof source === 'function') return source()
    if (source !== undefined && 'url' in source) return source
    const url = isRecord(paymentRequired) ? urls.get(paymentRequired) : undefined
    return url === undefined ? undefined : { url }
  }

  const http = source !== undefined && 'onPaymentRequired' in source ? source : undefined
  http?.onPaymentRequired(async ({ paymentRequired, requestUrl }) => {
    if (requestUrl !== undefined && isRecord(paymentRequired)) urls.set(paymentRequired, requestUrl)
    const call = callFor(paymentRequired)
    if (call === undefined) return undefined
    const pending = await findPending(context, call)
    if (pending === undefined || pending.payment.url !== urlOf(call.url)) {
      await approveAhead(context, call, paymentRequired)
      return undefined
    }
    const { payment } = pending
    context.emit({ type: 'resent', ...(await checkResend(context, pending, null)) })
    return { headers: { [payment.header]: payment.value } }
  })
  client.onBeforePaymentCreation(async ({ paymentRequired, selectedRequirements }) => {
    const challenge = readSelected(paymentRequired, selectedRequirements)
    await context.closeExpired()
    if (await context.ledger.isStopped()) throw refuse(context, 'STOPPED', {})
    const [offer] = challenge.offers
    const opened = context.intents.all().filter((open) => offer !== undefined && isFor(open, offer))
    const given = callFor(paymentRequired)
    const known = given === undefined ? opened[0] : opened.find((open) => open.url === urlOf(given.url))
    const open = known ?? (await approveCall(context, given, challenge))
    open.claimed = true
    deepFreeze(selectedRequirements)
  })
  client.onAfterPaymentCreation(async ({ paymentPayload }) => {
    const payment = readPayload(context, paymentPayload)
    if (payment === undefined) throw refuse(context, 'PAYMENT_MALFORMED', {})
    const open = findHolder(context.intents, payment.authorization) ?? findClaimed(context, payment)
    if (open === undefined || !fits(open, payment, context.now())) {
      throw refuse(context, 'OFFER_CHANGED', { intent: open?.intent, verdict: open?.verdict })
    }
    deepFreeze(paymentPayload)
    const { header, value } = toHeader(paymentPayload)
    await recordSent(context, open, payment.authorization, { url: open.url, header, value })
  })
  client.onPaymentResponse(async ({ paymentPayload, settleResponse }) => {
    const payment = readPayload(context, paymentPayload)
    const open = payment && findHolder(context.intents, payment.authorization)
    // Already taken if the guarded fetch saw the response.
    if (!open?.signed || !context.intents.take(open, open.signed)) return
    const receipt = toReceipt(settleResponse)
    // The hook does not name the status, so a known settlement is the only sign of an answer.
    if (receipt !== null) context.flights.answer(context.ledger.find(open.reservation))
    const update = receipt === null ? { delivered: false } : ({ answered: true } as const)
    await context.ledger.update(open.reservation, update).catch(() => {})
    await recordSettlement(context, open, receipt)
  })
  return client
}

async function findPending(context: GuardContext, call: HookedCall) {
  const { query } = await describe(call)
  if (query === undefined) return undefined
  await context.ledger.refresh()
  return findResendable(context, query)
}

async function describe({ url: given, method: verb = 'GET', body = null }: HookedCall) {
  const [url, method] = [urlOf(given), verb.toUpperCase()]
  const once = await identifyCall(readRequest(url, { method, body }), null)
  const canonical = readUrl(url)
  const query = typeof canonical === 'string' ? undefined : { call: callOf(method, url, canonical.key), once }
  return { url, method, once, query }
}

async function approveCall(
  context: GuardContext,
  given: HookedCall | undefined,
  challenge: ReturnType<typeof readSelected>,
): Promise<OpenIntent> {
  if (given === undefined) throw refuse(context, 'URL_UNKNOWN', {})
  const { url, method, once } = await describe(given)
  const call = { method, requestedUrl: url, url, challenge, once, traceparent: null }
  return (await approveNew(context, call)).open
}

/**
 * Judges a whole challenge and reduces it to the approved entry. Errors of this hook reach the caller as they are;
 * payment libraries wrap those of later ones.
 */
async function approveAhead(
  context: GuardContext,
  call: HookedCall,
  paymentRequired: unknown,
): Promise<void> {
  if (!isRecord(paymentRequired)) return
  const challenge = readDocument(paymentRequired)
  const url = urlOf(call.url)
  // Another seat has approved it.
  const isOpen = context.intents
    .all()
    .some((open) => open.url === url && challenge.offers.some((offer) => isFor(open, offer)))
  if (isOpen) return
  const { method, once } = await describe(call)
  const approval = { method, requestedUrl: url, url, challenge, once, traceparent: null }
  const { offer } = await approveNew(context, approval)
  paymentRequired.accepts = [offer.raw]
}

const readSelected = (paymentRequired: unknown, selected: unknown) =>
  readDocument({ ...(isRecord(paymentRequired) ? paymentRequired : {}), accepts: [selected] })

function readDocument(document: Record<string, unknown>) {
  const isV2 = isVersion2(document)
  return decodeChallenge({
    header: isV2 ? encodeBase64Json(document) : null,
    body: isV2 ? null : JSON.stringify(document),
  })
}

const isVersion2 = (document: unknown) => isRecord(document) && document.x402Version === 2

function isFor({ intent, signed, claimed }: OpenIntent, offer: Offer): boolean {
  return (
    signed === null &&
    !claimed &&
    intent.network === offer.network &&
    intent.scheme === offer.scheme &&
    intent.amountAtomic === offer.amountAtomic &&
    sameAddress(intent.asset, offer.asset) &&
    sameAddress(intent.payTo, offer.payTo)
  )
}

function toHeader(payload: unknown) {
  const header = isVersion2(payload) ? X402_HEADERS.signature : X402_HEADERS.v1Payment
  return { header, value: encodeBase64Json(payload) }
}

function readPayload({ schemes }: GuardContext, payload: unknown): OutgoingPayment | undefined {
  const { header, value } = toHeader(payload)
  return decodePayment(new Headers({ [header]: value }), schemes)
}

function findClaimed(context: GuardContext, payment: OutgoingPayment): OpenIntent | undefined {
  return context.intents
    .all()
    .find((open) => open.claimed && open.signed === null && fits(open, payment, context.now()))
}

function fits(open: OpenIntent, { authorization, network, scheme }: OutgoingPayment, now: number): boolean {
  const { intent } = open
  return network === intent.network && scheme.name === intent.scheme && fitsIntent(open, authorization, now)
}
