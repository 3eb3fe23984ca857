import {
  canonicalizeUrl,
  encodeBase64Json,
  parseJson,
  sameAddress,
  usdToAtomic,
  X402_HEADERS,
} from '@touchstone402/shared'
import { budgetLimits } from '../decide/budget.ts'
import { type Candidate, screen } from '../decide/screen.ts'
import { createGuardError } from '../errors.ts'
import type { OnceKey, StoredPayment } from '../ledger/ledger.ts'
import { createLru } from '../lru.ts'
import { toIntent, toQuery } from '../paying/describePayment.ts'
import type { GuardContext, VerdictClient } from '../paying/guardContext.ts'
import { callOf } from '../paying/identifyCall.ts'
import { checkResend, findUnresolved, refusePending } from '../paying/pendingPayment.ts'
import { readChallenge } from '../paying/readChallenge.ts'
import type { SentPayment } from '../paying/sendPayment.ts'
import { readReceipt, recordSettlement, toSent } from '../paying/settlement.ts'
import type { Authorization } from '../paying/signatures/authorization.ts'
import { bytesToHex } from '../paying/signatures/bytes.ts'
import { type SigningAccount, writeTypedData } from '../paying/signatures/signingAccount.ts'
import { readBody } from '../readBody.ts'
import type { FetchLike, VerdictState } from '../types.ts'
import { describeStatus, serviceUrl } from './serviceApi.ts'

/** Options of {@link createLiveCheck}. */
export type LiveCheckOptions = {
  /** Base URL of the service. */
  serviceUrl: string
  /** Receiver of the service; without it the first receiver paid is pinned. */
  payTo: string | undefined
  /** Maximum dollars for one check. */
  maxPriceUsd: string
  account: SigningAccount
  /** Verifies and caches the answer. */
  accept: VerdictClient['accept']
  fetch: FetchLike
  /** Cache lifetime of a check in ms. */
  maxAgeMs: number
  timeoutMs: number
}

const MAX_ENDPOINTS = 1000
const MAX_BYTES = 1024 * 1024

/**
 * Creates a buyer of live checks (`/trust`), each paid within its own price limit and counted in the budget.
 * It never rejects; if no check can be bought, the state is `unavailable`.
 */
export function createLiveCheck(context: GuardContext, options: LiveCheckOptions) {
  const bought = createLru<{ at: number; state: Promise<VerdictState> }>(MAX_ENDPOINTS)
  return (endpoint: string): Promise<VerdictState> => {
    const last = bought.get(endpoint)
    if (last !== undefined && context.now() - last.at < options.maxAgeMs) return last.state
    const state = buy(context, options, endpoint).catch((error): VerdictState => {
      const detail = error instanceof Error ? error.message : 'The live check failed.'
      return { state: 'unavailable', detail, lastSeen: null }
    })
    bought.set(endpoint, { at: context.now(), state })
    return state
  }
}

async function buy(
  context: GuardContext,
  options: LiveCheckOptions,
  endpoint: string,
): Promise<VerdictState> {
  const { ledger, now } = context
  const url = new URL(serviceUrl(options.serviceUrl, '/trust', { endpoint })).href
  const call = { method: 'GET', url }
  const canonical = canonicalizeUrl(url)
  const init = () => ({ redirect: 'manual' as const, signal: AbortSignal.timeout(options.timeoutMs) })
  const send = async (sent: SentPayment, { header, value }: StoredPayment): Promise<VerdictState> => {
    let paid: Response
    try {
      paid = await options.fetch(url, { ...init(), headers: { [header]: value } })
    } catch (error) {
      await recordSettlement(context, sent, null)
      throw error
    }
    await recordSettlement(context, sent, readReceipt(paid.headers))
    if (paid.status !== 200) throw new Error(`The service answered the payment with status ${paid.status}.`)
    const answer: unknown = parseJson(await readBody(paid, MAX_BYTES, options.timeoutMs))
    await ledger.update(sent.reservation, { answered: true })
    return options.accept(endpoint, answer)
  }
  const once: OnceKey = { body: '', callKey: '', payer: options.account.address }
  const query = { call: callOf('GET', url, canonical.key), once }
  const seeker = { query, begun: context.flights.mark(), signal: null, audience: null, traceparent: null }
  const pending = await findUnresolved(context, seeker)
  if (pending !== null && 'entry' in pending) {
    const { entry, payment } = pending
    if (payment === null) throw refusePending(context, entry, 'PAYMENT_PENDING', null)
    const known = await checkResend(context, { entry, payment }, null)
    context.emit({ type: 'resent', ...known })
    return send({ ...known, reservation: entry.id, traceparent: null }, payment)
  }
  const asked = await options.fetch(url, init())
  if (asked.status !== 402) throw new Error(describeStatus(url, asked.status))
  const challenge = await readChallenge(asked)
  const offers = challenge.offers.filter(({ source, scheme }) => source === 'header' && scheme === 'exact')
  const screened = screen(context.policy, canonical, { ...challenge, offers })
  if ('code' in screened) throw createGuardError(screened.code)
  if (screened.siteHost !== undefined) throw createGuardError('RESOURCE_MISMATCH')
  const limits = budgetLimits(context.policy)
  const chosen = choose(screened.candidates, options, (candidate) => {
    return ledger.view(toQuery(query.call, canonical, candidate), limits, now()).pinnedReceiver
  })

  const intent = toIntent(call, chosen, canonical, true)
  const { amountAtomic } = intent
  const payment = { once, at: now(), amountAtomic, usdMicros: chosen.usdMicros, isVouched: true }
  const reserved = await ledger.reserve({ ...toQuery(query.call, canonical, chosen), ...payment }, limits)
  if (!reserved.ok) throw createGuardError(reserved.code, { intent })
  const { address: from } = options.account
  const authorization = authorize(from, chosen, now())
  // Counts as spent before the signature exists, since the authorization may leave from here on.
  await ledger.update(reserved.id, toSent(authorization))
  context.count('paid')
  context.count('liveChecks')
  const signature = await options.account.signTypedData(writeTypedData(chosen.domain, authorization))
  const value = writePayment(challenge.header?.resource, chosen, authorization, signature)
  const kept = { url, header: X402_HEADERS.signature, value }
  await ledger.update(reserved.id, { ...toSent(authorization), payment: kept })
  return send({ intent, verdict: null, reservation: reserved.id, traceparent: null }, kept)
}

/** Returns the cheapest candidate that pays the expected receiver. */
function choose(
  candidates: readonly Candidate[],
  { payTo, maxPriceUsd }: LiveCheckOptions,
  pinnedOf: (candidate: Candidate) => string | null,
): Candidate {
  const fitting = candidates.filter((candidate) => {
    const receiver = payTo ?? pinnedOf(candidate)
    return receiver === null || sameAddress(receiver, candidate.offer.payTo)
  })
  const cheapest = fitting.toSorted((a, b) => (a.usdMicros < b.usdMicros ? -1 : 1))[0]
  if (cheapest === undefined) throw createGuardError('RECEIVER_PIN_MISMATCH')
  if (cheapest.usdMicros > usdToAtomic(maxPriceUsd)) throw createGuardError('PRICE_ABOVE_CHECKED')
  return cheapest
}

function authorize(from: string, { offer, amount: value }: Candidate, now: number): Authorization {
  const validBefore = BigInt(Math.floor(now / 1000) + offer.maxTimeoutSeconds)
  const nonce = bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
  return { from, to: offer.payTo, value, validAfter: 0n, validBefore, nonce }
}

function writePayment(
  resource: unknown,
  { offer }: Candidate,
  authorization: Authorization,
  signature: string,
): string {
  const numbers = {
    value: authorization.value.toString(),
    validAfter: authorization.validAfter.toString(),
    validBefore: authorization.validBefore.toString(),
  }
  return encodeBase64Json({
    x402Version: 2,
    resource,
    accepted: offer.raw,
    payload: { authorization: { ...authorization, ...numbers }, signature },
  })
}
