import { encodeBase64Json, X402_HEADERS } from '@touchstone402/shared'
import { getAddress } from 'viem'
import { HOUR } from '../facts/times.ts'
import type { Refusal } from '../lib/problemError.ts'
import type { Claim, ClaimKey, StoredAnswer } from '../store/claims.ts'
import { ABANDONED_AFTER_MS, RECONCILE_EVERY_MS, SETTLING_AFTER_MS } from './claimTimes.ts'
import type { SaleOutcome } from './paywall.ts'
import type { Payment } from './readPayment.ts'
import type { Challenge, Terms } from './terms.ts'

/** How long a settled payment gets its stored answer again. */
const REPLAY_MS = 24 * HOUR

/** Returns the name of a payment in problems and logs: enough to find it on chain, useless to spend it. */
export function receiptOf({ network, asset, from, nonce }: ClaimKey): string {
  return `${network}/${asset}/${from}/${nonce}`
}

/** Creates a refusal. */
export function refuse(
  status: number,
  code: string,
  detail: string,
  more: Pick<Refusal, 'retryAfterSeconds' | 'receipt'> = {},
): SaleOutcome {
  return { kind: 'refused', refusal: { status, code, detail, ...more } }
}

/** The claim store failed before the payment was settled. */
export const STORE_DOWN = refuse(
  503,
  'store_unavailable',
  'Payments cannot be recorded; nothing was charged.',
  {
    retryAfterSeconds: 10,
  },
)

/** The facilitator failed before the payment was settled. */
export const FACILITATOR_DOWN = refuse(
  503,
  'facilitator_unavailable',
  'The payment facilitator is unavailable; nothing was charged.',
  { retryAfterSeconds: 10 },
)

/** The chain cannot be read, and the answer would have to wait for it. */
export const CHAIN_DOWN = refuse(
  503,
  'chain_unavailable',
  'The chain cannot be read to confirm the payment; nothing was charged.',
  { retryAfterSeconds: 10 },
)

/** Refuses a call whose settlement may or may not have gone through. */
export function settlementUnknown(key: ClaimKey): SaleOutcome {
  return refuse(
    503,
    'settlement_unknown',
    'The settlement was sent but its outcome is unknown. Do not pay again: repeat the call with the same payment.',
    { retryAfterSeconds: RECONCILE_EVERY_MS / 1000, receipt: receiptOf(key) },
  )
}

/**
 * Answers a call whose payment is already claimed.
 * @param isSameCall whether the payment is bound to this call
 * @param waits whether the answer waits until the chain shows the settlement
 */
export function answerClaimed(
  claim: Claim,
  isSameCall: boolean,
  terms: Terms,
  now: number,
  waits: boolean,
  unpaid: (error: string) => SaleOutcome,
): SaleOutcome {
  if (!isSameCall) return unpaid('payment_already_used')
  switch (claim.state) {
    case 'claimed':
      return inProgress(Math.min(ABANDONED_AFTER_MS, claim.claimedAt + ABANDONED_AFTER_MS - now))
    case 'settling':
      return inProgress(Math.min(SETTLING_AFTER_MS, claim.updatedAt + SETTLING_AFTER_MS - now))
    // Given up or found since the look-up, so that a repeated call is answered.
    case 'released':
    case 'refused':
    case 'owed':
      return inProgress(0)
    case 'unknown':
      return settlementUnknown(claim)
    case 'missing':
      return now < claim.validBefore * 1000 ? settlementUnknown(claim) : unpaid('payment_already_used')
    case 'reported':
    case 'settled':
      if (claim.state === 'reported' && waits) return settlementUnknown(claim)
      if (claim.answer === null || claim.txHash === null || now - claim.updatedAt > REPLAY_MS) {
        return unpaid('payment_already_used')
      }
      return deliver(claim.answer, claim.txHash, claim.from, terms, true)
  }
}

/**
 * Refuses a call whose payment another call is settling.
 * @param leftMs time after which that one has ended, or its process died
 */
function inProgress(leftMs: number): SaleOutcome {
  const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1000))
  return refuse(
    409,
    'payment_in_progress',
    `Another call is being paid with this payment. Do not pay again: repeat the call with the same payment after ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  )
}

/** Delivers an answer with its proof of settlement in the headers of both protocol versions. */
export function deliver(
  answer: StoredAnswer,
  txHash: string,
  payer: string,
  terms: Terms,
  replayed: boolean,
): SaleOutcome {
  const headers = {
    ...answer.headers,
    ...describeSettlement({ success: true, transaction: txHash }, payer, terms),
  }
  return { kind: 'delivered', answer: { ...answer, headers }, replayed }
}

/**
 * Adds the failure of a settlement to a challenge, in the header of the payment's version only: heads must stay small.
 * Source: x402 HTTP transports, v1 and v2, settlement failure.
 */
export function settlementFailed(
  challenge: Challenge,
  errorReason: string,
  { from, version }: Payment,
  terms: Terms,
): SaleOutcome {
  const name = version === 1 ? X402_HEADERS.v1Response : X402_HEADERS.response
  const failure = describeSettlement({ success: false, errorReason, transaction: '' }, from, terms)
  return { ...challenge, headers: { ...challenge.headers, [name]: failure[name] } }
}

/** Returns the headers of both protocol versions with the result of a settlement. */
function describeSettlement(
  result: { success: boolean; transaction: string; errorReason?: string },
  payer: string,
  { network, v1Network }: Terms,
) {
  const settled = { ...result, payer: getAddress(payer) }
  return {
    [X402_HEADERS.response]: encodeBase64Json({ ...settled, network }),
    [X402_HEADERS.v1Response]: encodeBase64Json({ ...settled, network: v1Network }),
  }
}
