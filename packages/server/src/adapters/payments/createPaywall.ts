import { PAID_OPERATIONS, type PaidOperationId } from '@touchstone402/shared'
import type { ClaimKey, ClaimStore } from '../../ports/claims.ts'
import type { Paywall, Production, SaleOutcome, SaleRequest } from '../../ports/paywall.ts'
import { type AttemptLimit, createAttempts } from './attempts.ts'
import type { Facilitator } from './facilitator.ts'
import { type Payment, readPayment } from './readPayment.ts'
import { receiptOf } from './receipt.ts'
import { createSettler } from './settle.ts'
import { createSignatureCheck, signatureDigest } from './signature.ts'
import { answerStanding, refuse, STORE_DOWN } from './standing.ts'
import { challenge, createTerms, type Terms } from './terms.ts'

export type PaywallOptions = {
  facilitator: Facilitator
  claims: ClaimStore
  /** Who is paid. */
  payTo: string
  /** CAIP-2. */
  network: string
  /** Dollars a call as decimal strings, 0.001 at the least. */
  prices: Readonly<Record<PaidOperationId, string>>
  /** Origin under which the service is reached. */
  publicUrl: string
  /** Whether the facilitator settles v1; where it does not, the v1 challenge lists nothing. @default true */
  speaksV1?: boolean
  /** Calls that may end uncharged, for each payer. @default 60 in 60 s */
  payerAttempts?: AttemptLimit
  /** The same for each client address. @default 300 in 60 s */
  clientAttempts?: AttemptLimit
  /** Real time in milliseconds since 1970: payments are no part of the audit's clock. @default Date.now */
  now?: () => number
  /** Told how each call ended: `asked`, `sold`, `replayed`, `abandoned`, `declined`, or the code of a refusal. */
  onSale?: (sale: { operation: PaidOperationId; outcome: string }) => void
  /** Told of every fault that a caller only sees as 503. */
  onFault?: (fault: {
    step: 'verify' | 'settle' | 'claim' | 'handler'
    cause: unknown
    receipt: string
  }) => void
}

/** An authorization that ends sooner could end before its settlement. */
const MIN_LEFT_SECONDS = 15
/** One that lasts longer would leave an unknown settlement open for as long. */
const MAX_LEFT_SECONDS = 3600

/**
 * Creates the paywall: x402 v1 and v2 on the same routes.
 *
 * The order of a paid call: shape, query, signature, claim, facilitator verify, handler (its answer held back), client
 * still there, settle, send. Whatever fails before the settlement gives the claim back and costs nothing.
 * @throws Error that names a setting which is wrong.
 */
export function createPaywall(options: PaywallOptions): Paywall {
  const { facilitator, claims, speaksV1 = true, now = Date.now, onFault = () => {} } = options
  const offers = new Map(
    PAID_OPERATIONS.map((id) => {
      const terms = createTerms(id, { ...options, priceUsd: options.prices[id] })
      return [id, { terms, asked: challenge(terms, 'payment_required', speaksV1) }]
    }),
  )
  const byPayer = createAttempts(options.payerAttempts ?? { points: 60, windowSeconds: 60 })
  const byClient = createAttempts(options.clientAttempts ?? { points: 300, windowSeconds: 60 })
  const isSignedByPayer = createSignatureCheck()
  const settler = createSettler({ facilitator, claims, now, onFault })

  const sell = async (
    request: SaleRequest,
    produce: (payer: string, signal: AbortSignal) => Promise<Production>,
  ): Promise<SaleOutcome> => {
    const offer = offers.get(request.operation)
    if (offer === undefined) return refuse(500, 'internal', 'Something went wrong on our side.')
    const price = offer.terms
    // Most who ask for the challenge have not paid anything yet.
    if (request.paymentSignature === undefined && request.xPayment === undefined) return offer.asked
    const unpaid = (error: string) => challenge(price, error, speaksV1)
    const payment = readHeaders(request, price, speaksV1)
    if (typeof payment === 'string') return unpaid(payment)
    if (request.refusal !== null) return { kind: 'refused', refusal: request.refusal }
    const clientWait = await byClient.waitFor([request.client])
    if (clientWait > 0) return tooManyAttempts(clientWait)

    const isPlain = await isSignedByPayer(payment, price)
    const payer = payment.from
    const key: ClaimKey = {
      network: price.network,
      asset: price.asset.toLowerCase(),
      from: payer,
      nonce: payment.nonce,
    }
    const binding = isPlain ? request.binding : `${request.binding} signature ${signatureDigest(payment)}`
    const present = await claims.get(key)
    if (present !== undefined && present.state !== 'released') {
      return answerStanding(present, binding, price, now(), unpaid)
    }
    const untimely = checkTime(payment, now())
    if (untimely !== undefined) return unpaid(untimely)
    const payerWait = isPlain ? await byPayer.waitFor([key.from]) : 0
    if (payerWait > 0) return tooManyAttempts(payerWait)

    const uncharged = async () => {
      await byClient.note([request.client])
      if (isPlain) await byPayer.note([key.from])
    }
    const verify = async (): Promise<SaleOutcome | undefined> => {
      const verification = await facilitator.verify(payment.call)
      if (verification.kind === 'valid') return undefined
      await uncharged()
      if (verification.kind === 'invalid') return unpaid(verification.reason)
      onFault({ step: 'verify', cause: verification.cause, receipt: receiptOf(key) })
      return FACILITATOR_DOWN
    }

    // A signature that could not be checked here must not claim anything before somebody has checked it.
    const early = isPlain ? undefined : await verify()
    if (early !== undefined) return early
    const outcome = await claims.claim({
      ...key,
      binding,
      payTo: price.payTo,
      amountAtomic: price.amountAtomic,
      validBefore: payment.validBefore,
      claimedAt: now(),
    })
    if (!outcome.won) return answerStanding(outcome.claim, binding, price, now(), unpaid)

    const late = isPlain ? await verify() : undefined
    if (late !== undefined) {
      await settler.release(key)
      return late
    }
    const production = await produceSafely(produce, payer, request.signal, (cause) =>
      onFault({ step: 'handler', cause, receipt: receiptOf(key) }),
    )
    if (!production.ok) {
      await settler.release(key)
      await uncharged()
      return { kind: 'refused', refusal: production.refusal }
    }
    const sale = await settler.settle(key, payment, production.answer, request.signal, price, unpaid)
    if (sale.kind !== 'delivered') await uncharged()
    return sale
  }

  return {
    sell: async (request, produce) => {
      const outcome = await sell(request, produce).catch((cause: unknown) => {
        // The claim store could not be read or written: without a claim nothing is sold.
        onFault({ step: 'claim', cause, receipt: '' })
        return STORE_DOWN
      })
      options.onSale?.({ operation: request.operation, outcome: nameOf(outcome, request) })
      return outcome
    },
  }
}

const FACILITATOR_DOWN = refuse(
  503,
  'facilitator_unavailable',
  'Payments cannot be checked now; nothing was charged.',
  {
    retryAfterSeconds: 10,
  },
)

function nameOf(outcome: SaleOutcome, { paymentSignature, xPayment }: SaleRequest): string {
  switch (outcome.kind) {
    case 'challenge':
      return paymentSignature === undefined && xPayment === undefined ? 'asked' : 'declined'
    case 'delivered':
      return outcome.replayed ? 'replayed' : 'sold'
    case 'refused':
      return outcome.refusal.code
    case 'abandoned':
      return 'abandoned'
  }
}

function tooManyAttempts(seconds: number): SaleOutcome {
  return refuse(429, 'too_many_requests', 'Too many calls that ended uncharged.', {
    retryAfterSeconds: seconds,
  })
}

function readHeaders(request: SaleRequest, terms: Terms, speaksV1: boolean): Payment | string {
  if (request.paymentSignature !== undefined) return readPayment(request.paymentSignature, 2, terms)
  return speaksV1 ? readPayment(request.xPayment ?? '', 1, terms) : 'invalid_x402_version'
}

function checkTime({ validAfter, validBefore }: Payment, nowMs: number): string | undefined {
  const seconds = Math.floor(nowMs / 1000)
  if (validAfter > seconds) return 'invalid_exact_evm_payload_authorization_valid_after'
  const left = validBefore - seconds
  if (left < MIN_LEFT_SECONDS || left > MAX_LEFT_SECONDS) {
    return 'invalid_exact_evm_payload_authorization_valid_before'
  }
  return undefined
}

async function produceSafely(
  produce: (payer: string, signal: AbortSignal) => Promise<Production>,
  payer: string,
  signal: AbortSignal,
  onFault: (cause: unknown) => void,
): Promise<Production> {
  try {
    return await produce(payer, signal)
  } catch (cause) {
    onFault(cause)
    return {
      ok: false,
      refusal: { status: 500, code: 'internal', detail: 'Something went wrong on our side.' },
    }
  }
}
