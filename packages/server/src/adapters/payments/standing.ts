import { encodeBase64Json, X402_HEADERS } from '@touchstone402/shared'
import { getAddress } from 'viem'
import { HOUR } from '../../domain/facts/times.ts'
import type { Claim, ClaimKey, StoredAnswer } from '../../ports/claims.ts'
import type { Refusal, SaleOutcome } from '../../ports/paywall.ts'
import { receiptOf } from './receipt.ts'
import type { Terms } from './terms.ts'

/** How long the answer to a payment is given again for the same request. */
export const REPLAY_MS = 24 * HOUR

/** Makes a refusal. */
export function refuse(
  status: number,
  code: string,
  detail: string,
  more: Pick<Refusal, 'retryAfterSeconds' | 'receipt'> = {},
): SaleOutcome {
  return { kind: 'refused', refusal: { status, code, detail, ...more } }
}

/** The claim store failed before anything was charged. */
export const STORE_DOWN = refuse(
  503,
  'store_unavailable',
  'Payments cannot be recorded now; nothing was charged.',
  {
    retryAfterSeconds: 10,
  },
)

/** The settlement's outcome is open: the payer must not pay anew, and may ask again with the same payment. */
export function settlementUnknown(key: ClaimKey): SaleOutcome {
  return refuse(
    503,
    'settlement_unknown',
    'The settlement was sent and its outcome is not known yet. Do not pay again: repeat the call with the same payment.',
    { retryAfterSeconds: 10, receipt: receiptOf(key) },
  )
}

/** What a call gets whose payment was claimed before. */
export function answerStanding(
  claim: Claim,
  binding: string,
  terms: Terms,
  now: number,
  unpaid: (error: string) => SaleOutcome,
): SaleOutcome {
  if (claim.binding !== binding) return unpaid('payment_already_used')
  switch (claim.state) {
    case 'claimed':
    case 'settling':
      return refuse(409, 'payment_in_progress', 'This payment is being worked on; repeat the call shortly.', {
        retryAfterSeconds: 1,
      })
    case 'unknown':
      return settlementUnknown(claim)
    case 'settled':
      if (claim.answer === null || claim.txHash === null || now - claim.updatedAt > REPLAY_MS) {
        return unpaid('payment_already_used')
      }
      return deliver(claim.answer, claim.txHash, claim.from, terms, true)
    case 'released':
      // Released since it was looked up: the next call may claim it.
      return refuse(409, 'payment_in_progress', 'Repeat the call.', { retryAfterSeconds: 1 })
  }
}

/** The answer with its proof of settlement, in the headers of both protocol versions. */
export function deliver(
  answer: StoredAnswer,
  txHash: string,
  payer: string,
  terms: Terms,
  replayed: boolean,
): SaleOutcome {
  const settled = { success: true, transaction: txHash, payer: getAddress(payer) }
  const headers = {
    ...answer.headers,
    [X402_HEADERS.response]: encodeBase64Json({ ...settled, network: terms.network }),
    [X402_HEADERS.v1Response]: encodeBase64Json({ ...settled, network: terms.v1Network }),
  }
  return { kind: 'delivered', answer: { ...answer, headers }, replayed }
}
