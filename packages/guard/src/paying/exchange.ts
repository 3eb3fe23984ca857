import { sameAddress } from '@touchstone402/shared'
import { createGuardError } from '../errors.ts'
import { readBalance } from '../ledger/balance.ts'
import { createChain } from '../ledger/chain.ts'
import type { LedgerEntry } from '../ledger/ledger.ts'
import type { FetchLike } from '../types.ts'
import { watchDelivery } from './delivery.ts'
import type { GuardContext } from './guardContext.ts'
import type { OpenIntent } from './intents.ts'
import { markPaid } from './paymentOf.ts'
import { readChain } from './pendingPayment.ts'
import { readChallenge } from './readChallenge.ts'
import { type CallRequest, isAborted, isRequest } from './request.ts'
import { readReceipt, recordSettlement } from './settlement.ts'

/** A payment that is recorded as sent. */
export type SentPayment = Pick<OpenIntent, 'intent' | 'verdict' | 'reservation' | 'traceparent'> &
  Partial<Pick<OpenIntent, 'asked'>>

/** How a fault counts: a mild one is a strike only if the endpoint's previous paid call had one too. */
type Fault = 'none' | 'mild' | 'strike'

// In Node, an abort reaches a Request only while the Request that it was made from is alive, and never reaches a clone
// after a garbage collection. Payment libraries send a clone, so the guard keeps the first request and its signal.
const underWay = new Set<readonly unknown[]>()

/**
 * Sends a request with a recorded payment and records the result.
 * @throws PaymentBlockedError after an invalid response; the amount then counts as spent
 */
export async function exchange(
  context: GuardContext,
  inner: FetchLike,
  request: CallRequest,
  sent: SentPayment,
  args: [RequestInfo | URL, RequestInit],
): Promise<Response> {
  let response: Response
  const input = args[0]
  const init = followFirst(sent.asked, args)
  const kept = [sent.asked, request.input, input, init]
  underWay.add(kept)
  try {
    response = await inner(input, init)
  } catch (error) {
    // An abort by the caller is no fault of the endpoint, but the money may be gone.
    await fail(context, sent, isAborted({ input, init }) ? 'none' : 'strike')
    throw error
  } finally {
    underWay.delete(kept)
  }
  return judgeAnswer(context, sent, response)
}

/** Returns the options of a paid request that the signal of the first request aborts too. */
function followFirst(asked: SentPayment['asked'], [input, init]: [RequestInfo | URL, RequestInit]) {
  if (!asked || !isRequest(asked) || !isRequest(input)) return init
  return { ...init, signal: AbortSignal.any([asked.signal, input.signal]) }
}

/**
 * Records the answer to a sent payment.
 * @throws PaymentBlockedError if it is a redirect or another 402; OfferMismatchError if its terms differ
 */
export async function judgeAnswer(
  context: GuardContext,
  sent: SentPayment,
  response: Response,
): Promise<Response> {
  if (isRedirect(response)) {
    response.body?.cancel().catch(() => {})
    await fail(context, sent, 'strike')
    const { intent, verdict, reservation: paymentId } = sent
    throw createGuardError('REDIRECT_AFTER_PAYMENT', {
      intent,
      verdict: verdict ?? undefined,
      facts: { paymentId },
    })
  }
  if (response.status === 402) throw await refuseAgain(context, sent, response)
  return settle(context, sent, response)
}

/** Records the headers of a response, and its body as it is read. */
export async function settle(
  context: GuardContext,
  sent: SentPayment,
  response: Response,
): Promise<Response> {
  const { ledger, streaming, answered } = context
  const { reservation, intent } = sent
  await recordSettlement(context, sent, readReceipt(response.headers))
  const isAnswer = response.ok || response.status === 304
  if (isAnswer) {
    streaming.add(reservation)
    answered.add(ledger.find(reservation))
  }
  const watched = await watchDelivery(response, intent.method, {
    delivered: (delivered, isMild) => ledger.update(reservation, { delivered, isMild }).catch(() => {}),
    async ended(isComplete) {
      if (!streaming.delete(reservation) || !isComplete) return
      await ledger.update(reservation, { answered: true }).catch(() => {})
    },
  })
  return markPaid(watched, { paymentId: reservation, intent })
}

async function refuseAgain(context: GuardContext, sent: SentPayment, response: Response) {
  const { intent, verdict, reservation } = sent
  const { offers } = await readChallenge(response)
  const isSame = offers.some(
    (offer) => offer.amountAtomic === intent.amountAtomic && sameAddress(offer.payTo, intent.payTo),
  )
  const isChanged = offers.length > 0 && !isSame
  const entry = context.ledger.find(reservation)
  const isUnfunded = !isChanged && entry !== undefined && (await lacksFunds(context, entry))
  await fail(context, sent, isChanged ? 'strike' : isUnfunded ? 'none' : 'mild')
  const isSettled = entry !== undefined && (await readChain(context, entry)) === 'settled'
  const code = isSettled ? 'PAYMENT_SETTLED' : isChanged ? 'OFFER_CHANGED' : 'PAYMENT_NOT_ACCEPTED'
  return createGuardError(code, {
    details: `The authorization was sent, so its amount counts as spent.${isUnfunded ? ' The wallet holds less than that.' : ''}`,
    intent,
    verdict: verdict ?? undefined,
    facts: {
      moneyMayHaveLeft: true,
      paymentId: reservation,
      ...(isSettled && { transaction: entry.transaction }),
    },
  })
}

/** Whether the payer holds less than a payment needs; false if that is not known. */
async function lacksFunds({ rpcUrls }: GuardContext, entry: LedgerEntry): Promise<boolean> {
  const url = rpcUrls[entry.network]
  if (url === undefined || entry.authorization === null) return false
  const balance = readBalance(createChain(url, globalThis.fetch), entry.asset, entry.authorization.from)
  return balance.then((held) => held < BigInt(entry.amountAtomic)).catch(() => false)
}

function isRedirect({ redirected, type, status }: Response): boolean {
  return redirected || type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304)
}

async function fail(context: GuardContext, sent: SentPayment, fault: Fault): Promise<void> {
  // A seller that has answered a payment may refuse to answer it twice.
  if (fault !== 'none' && !context.answered.has(sent.reservation)) {
    const change = { delivered: false, isMild: fault === 'mild' }
    await context.ledger.update(sent.reservation, change).catch(() => {})
  }
  await recordSettlement(context, sent, null)
}
