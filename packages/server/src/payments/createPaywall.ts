import { PAID_OPERATIONS } from '@touchstone402/shared'
import type { Claim, OpenClaim } from '../store/claims.ts'
import { readClaim } from '../store/claims.ts'
import { answerOwed } from './answerOwed.ts'
import { createAttempts, type UnchargedLimits } from './attempts.ts'
import { type FaultStep, noteFault } from './noteFault.ts'
import { answerClaimed, FACILITATOR_DOWN, refuse, STORE_DOWN } from './outcomes.ts'
import type { PaymentContext } from './paymentContext.ts'
import type { Paywall, Production, SaleOutcome, SaleRequest } from './paywall.ts'
import { type Payment, readPayment } from './readPayment.ts'
import { type ClaimedPayment, giveUp, type Settlers, settle } from './settle.ts'
import { type SignatureCheck, signatureDigest } from './signature.ts'
import { challenge, createTerms, type Terms } from './terms.ts'

/** Parts of a paywall. */
export type PaywallParts = Settlers & {
  /** Whether the facilitator settles v1; if not, the v1 challenge lists nothing. */
  readonly speaksV1: boolean
  /** Limits of uncharged calls. */
  readonly uncharged: UnchargedLimits
  /** Checks who signed a payment. */
  readonly isSignedByPayer: SignatureCheck
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
export function createPaywall(ctx: PaymentContext, parts: PaywallParts): Paywall {
  const { config, metrics, now, store } = ctx
  const { facilitator, confirmation, speaksV1, uncharged, isSignedByPayer } = parts
  const offers = new Map(
    PAID_OPERATIONS.map((id) => {
      const terms = createTerms(id, { ...config, priceUsd: config.prices[id] })
      return [id, { terms, asked: challenge(terms, 'payment_required', speaksV1) }]
    }),
  )
  const byPayer = createAttempts(uncharged.payer)
  const byClient = createAttempts(uncharged.client)
  const { origin } = new URL(facilitator.url)

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
    const { requestId, signal } = request
    const note = (step: FaultStep, cause: unknown) => noteFault(ctx, step, cause, { claim: key, requestId })
    const present = await readClaim(store, key, now())
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
    const waits = confirmation.isDue(terms.amountAtomic)
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
    const make = async (): Promise<Production> => {
      try {
        return await produce(from, signal)
      } catch (cause) {
        note('handler', cause)
        return { ok: false, refusal: INTERNAL }
      }
    }
    /** Returns the refusal of a payment that the facilitator does not call valid. */
    const verify = async (): Promise<SaleOutcome | undefined> => {
      const verification = await facilitator.verify(payment.call)
      if (verification.kind === 'valid') return undefined
      await noteUncharged()
      if (verification.kind === 'invalid') return unpaid(verification.reason)
      note('verify', verification.cause)
      return FACILITATOR_DOWN
    }

    // We cannot check the signature of a contract wallet: it claims something only after the facilitator called it valid.
    const isOwed = present?.state === 'owed' && present.binding === binding
    const verifiesFirst = !isPlain && !isOwed
    const early = verifiesFirst ? await verify() : undefined
    if (early !== undefined) return early
    const isFor = (claim: OpenClaim) =>
      claim.binding === binding || (verifiesFirst && claim.binding.startsWith(request.binding + SIGNATURE))
    const owed = await answerOwed(ctx, confirmation, { present, key, terms, isFor, make, signal })
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
    const outcome = await store.write('claimPayment', wanted)
    if (!outcome.won) return answer(outcome.claim)

    const claimed: ClaimedPayment = { claim: outcome.claim, payment, terms, signal, unpaid, requestId }
    const late = isPlain ? await verify() : undefined
    if (late !== undefined) {
      await giveUp(ctx, claimed)
      return late
    }
    const production = await make()
    if (!production.ok) {
      await giveUp(ctx, claimed)
      await noteUncharged()
      return { kind: 'refused', refusal: production.refusal }
    }
    const sale = await settle(ctx, parts, claimed, production.answer)
    if (sale.kind !== 'delivered') await noteUncharged()
    return end(sale)
  }

  return {
    sell: async (request, produce) => {
      const outcome = await sell(request, produce).catch((cause: unknown) => {
        // Without a claim nothing is sold.
        noteFault(ctx, 'claim', cause, request)
        return STORE_DOWN
      })
      metrics.sale({ operation: request.operation, outcome: nameOf(outcome, request) })
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
