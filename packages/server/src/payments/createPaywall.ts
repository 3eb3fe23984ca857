import { PAID_OPERATIONS, type PaidOperationId } from '@touchstone402/shared'
import type { Claim, OpenClaim } from '../store/claims.ts'
import { readClaim } from '../store/claims.ts'
import type { Store } from '../store/store.ts'
import { type AttemptLimit, createAttempts } from './attempts.ts'
import type { Confirmation } from './createConfirmation.ts'
import type { Facilitator } from './facilitator.ts'
import {
  answerClaimed,
  FACILITATOR_DOWN,
  type PaymentFault,
  receiptOf,
  refuse,
  STORE_DOWN,
} from './outcomes.ts'
import { createOwedCalls, type OnOwed } from './owedCalls.ts'
import type { Paywall, Production, SaleOutcome, SaleRequest } from './paywall.ts'
import { type Payment, readPayment } from './readPayment.ts'
import { type ClaimedPayment, createSettler } from './settle.ts'
import { type SignatureCheck, signatureDigest } from './signature.ts'
import { challenge, createTerms, type Terms } from './terms.ts'

/** Options of `createPaywall`. */
export type PaywallOptions = {
  facilitator: Facilitator
  claims: Store
  /** Confirms settlements on chain before delivery. @default the facilitator's word is enough */
  confirmation?: Confirmation
  /** Address that is paid. */
  payTo: string
  /** CAIP-2. */
  network: string
  /** Price of a call in dollars, as a decimal string; at least 0.001. */
  prices: Readonly<Record<PaidOperationId, string>>
  /** Public origin of the service. */
  publicUrl: string
  /** Whether the facilitator settles v1; if not, the v1 challenge lists nothing. @default true */
  speaksV1?: boolean
  /** Limit of uncharged calls per payer. */
  payerAttempts: AttemptLimit
  /** Limit of uncharged calls per client address. */
  clientAttempts: AttemptLimit
  /** Checks who signed a payment. */
  isSignedByPayer: SignatureCheck
  /** Unix time in ms; payments use real time, not the audit's clock. */
  now: () => number
  /** Receives how each call ended: `asked`, `sold`, `replayed`, `abandoned`, `declined`, or the code of a refusal. */
  onSale?: (sale: { operation: PaidOperationId; outcome: string }) => void
  onFault?: (fault: PaymentFault) => void
  onOwed?: OnOwed
}

/** Minimum remaining validity: a shorter one could end before the settlement. */
const MIN_LEFT_SECONDS = 15
/** Maximum remaining validity: an unknown settlement stays open that long. */
const MAX_LEFT_SECONDS = 3600

/** Separates a call from the digest of the signature that pays for it. */
const SIGNATURE = ' signature '

const INTERNAL = { status: 500, code: 'internal', detail: 'Something went wrong on our side.' }

/**
 * Creates the paywall: x402 v1 and v2 on the same routes.
 *
 * A paid call passes shape, query, times, limits, signature, claim, verification, handler (its answer is held back), a
 * check that the client is still connected, and settlement. A failure before the settlement releases the claim and costs
 * nothing.
 * @throws Error that names the wrong setting
 */
export function createPaywall(options: PaywallOptions): Paywall {
  const { facilitator, claims, confirmation, speaksV1 = true, isSignedByPayer, now } = options
  const { onFault: noteFault = () => {}, onOwed = () => {} } = options
  const offers = new Map(
    PAID_OPERATIONS.map((id) => {
      const terms = createTerms(id, { ...options, priceUsd: options.prices[id] })
      return [id, { terms, asked: challenge(terms, 'payment_required', speaksV1) }]
    }),
  )
  const byPayer = createAttempts(options.payerAttempts)
  const byClient = createAttempts(options.clientAttempts)
  const { origin } = new URL(facilitator.url)
  const settler = createSettler({ facilitator, claims, confirmation, now })
  const answerOwed = createOwedCalls({ claims, confirmation, now, onOwed })

  const sell: Paywall['sell'] = async (request, produce) => {
    const offer = offers.get(request.operation)
    if (offer === undefined) return { kind: 'refused', refusal: INTERNAL }
    const { terms } = offer
    if (!carriesPayment(request)) return offer.asked
    const unpaid = (error: string) => challenge(terms, error, speaksV1)
    const payment = readHeaders(request, terms, speaksV1)
    if (typeof payment === 'string') return unpaid(payment)
    if (request.refusal !== null) return { kind: 'refused', refusal: request.refusal }
    const { from, nonce } = payment
    const key = { network: terms.network, asset: terms.asset.toLowerCase(), from, nonce }
    const onFault: ClaimedPayment['onFault'] = (step, cause) =>
      noteFault({ step, cause, receipt: receiptOf(key), requestId: request.requestId })
    const present = await readClaim(claims, key, now())
    const isOpen = present === undefined || present.state === 'released' || present.state === 'refused'
    const untimely = isOpen ? checkTime(payment, now()) : undefined
    if (untimely !== undefined) return unpaid(untimely)
    // Checking a signature costs milliseconds: it counts before, and no longer once the payer's own key proves to have signed.
    const clientWait = await byClient.take(request.client)
    if (clientWait > 0) return tooManyAttempts(clientWait)
    const isPlain = await isSignedByPayer(payment, terms)
    if (isPlain) await byClient.giveBack(request.client)
    const suffix = isPlain ? '' : SIGNATURE + signatureDigest(payment)
    const binding = request.binding + suffix
    const waits = confirmation?.isDue(terms.amountAtomic) ?? false
    /** The signature of a contract wallet proves right when its call is delivered. */
    const end = async (outcome: SaleOutcome) => {
      if (!isPlain && outcome.kind === 'delivered') await byClient.giveBack(request.client)
      return outcome
    }
    const answer = (claim: Claim) =>
      end(answerClaimed(claim, claim.binding === binding, terms, now(), waits, unpaid))
    if (!isOpen && present.state !== 'owed') return answer(present)
    const payerWait = isPlain ? await byPayer.secondsToWait(from) : 0
    if (payerWait > 0) return tooManyAttempts(payerWait)

    const noteUncharged = async () => {
      if (!isPlain) return
      await byClient.take(request.client)
      await byPayer.take(from)
    }
    const { signal } = request
    const make = async (): Promise<Production> => {
      try {
        return await produce(from, signal)
      } catch (cause) {
        onFault('handler', cause)
        return { ok: false, refusal: INTERNAL }
      }
    }
    /** Returns the refusal of a payment that the facilitator does not call valid. */
    const verify = async (): Promise<SaleOutcome | undefined> => {
      const verification = await facilitator.verify(payment.call)
      if (verification.kind === 'valid') return undefined
      await noteUncharged()
      if (verification.kind === 'invalid') return unpaid(verification.reason)
      onFault('verify', verification.cause)
      return FACILITATOR_DOWN
    }

    // We cannot check the signature of a contract wallet: it claims something only after the facilitator called it valid.
    const isOwed = present?.state === 'owed' && present.binding === binding
    const verifiesFirst = !isPlain && !isOwed
    const early = verifiesFirst ? await verify() : undefined
    if (early !== undefined) return early
    const isFor = (claim: OpenClaim) =>
      claim.binding === binding || (verifiesFirst && claim.binding.startsWith(request.binding + SIGNATURE))
    const owed = await answerOwed({ present, key, terms, isFor, make, signal })
    if (owed !== undefined) {
      if (owed.kind !== 'delivered') await noteUncharged()
      return end(owed)
    }
    const { payTo, amountAtomic } = terms
    const { validBefore } = payment
    const wanted = {
      ...key,
      binding,
      payTo,
      amountAtomic,
      validBefore,
      claimedAt: now(),
      facilitator: origin,
    }
    const outcome = await claims.write('claimPayment', wanted)
    if (!outcome.won) return answer(outcome.claim)

    const claimed: ClaimedPayment = { claim: outcome.claim, payment, terms, signal, unpaid, onFault }
    const late = isPlain ? await verify() : undefined
    if (late !== undefined) {
      await settler.giveUp(claimed)
      return late
    }
    const production = await make()
    if (!production.ok) {
      await settler.giveUp(claimed)
      await noteUncharged()
      return { kind: 'refused', refusal: production.refusal }
    }
    const sale = await settler.settle(claimed, production.answer)
    if (sale.kind !== 'delivered') await noteUncharged()
    return end(sale)
  }

  return {
    sell: async (request, produce) => {
      const outcome = await sell(request, produce).catch((cause: unknown) => {
        // Without a claim nothing is sold.
        noteFault({ step: 'claim', cause, receipt: '', requestId: request.requestId })
        return STORE_DOWN
      })
      options.onSale?.({ operation: request.operation, outcome: nameOf(outcome, request) })
      return outcome
    },
  }
}

function carriesPayment({ paymentSignature, xPayment }: SaleRequest): boolean {
  return paymentSignature !== undefined || xPayment !== undefined
}

function nameOf(outcome: SaleOutcome, request: SaleRequest): string {
  switch (outcome.kind) {
    case 'challenge':
      return carriesPayment(request) ? 'declined' : 'asked'
    case 'delivered':
      return outcome.replayed ? 'replayed' : 'sold'
    case 'refused':
      return outcome.refusal.code
    case 'abandoned':
      return 'abandoned'
  }
}

function tooManyAttempts(retryAfterSeconds: number): SaleOutcome {
  return refuse(429, 'too_many_requests', 'Too many calls that ended uncharged.', { retryAfterSeconds })
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
