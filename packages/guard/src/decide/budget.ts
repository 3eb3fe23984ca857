import { usdToAtomic } from '@touchstone402/shared'
import type { BudgetCode, ReasonCode } from '../reasons.ts'
import type { Policy } from './policyTypes.ts'

/**
 * What a ledger knows about one prospective payment; amounts in millionths of a dollar.
 * @example
 * const left = (view: LedgerView) => 5_000_000n - view.spentDay
 */
export type LedgerView = {
  spentTotal: bigint
  /** In the last 24 hours. */
  spentDay: bigint
  /** In the last 24 hours, at this host. */
  spentHostDay: bigint
  /** Payments to this host in the last 60 seconds. */
  hostPaymentsLastMinute: number
  /** Payments for the identical call in the last 60 seconds. */
  identicalPaymentsLastMinute: number
  /** Paid calls to this endpoint without delivery, since its last delivery and within `strikeSeconds`. */
  strikes: number
  /** First receiver paid at this endpoint in this asset. */
  pinnedReceiver: string | null
}

/** Limits that a ledger enforces on each reservation; amounts in millionths of a dollar. */
export type BudgetLimits = {
  perPayment: bigint
  perHostDay: bigint
  perDay: bigint
  total: bigint | null
  perHostPerMinute: number
  identicalPerMinute: number
  maxStrikes: number
  strikeMs: number
}

/** Extracts the limits of a policy. */
export function budgetLimits(policy: Policy): BudgetLimits {
  return {
    perPayment: usdToAtomic(policy.maxPerPaymentUsd),
    perHostDay: usdToAtomic(policy.maxPerHostPerDayUsd),
    perDay: usdToAtomic(policy.maxPerDayUsd),
    total: policy.maxTotalUsd === null ? null : usdToAtomic(policy.maxTotalUsd),
    perHostPerMinute: policy.velocity.perHostPerMinute,
    identicalPerMinute: policy.velocity.identicalPerMinute,
    maxStrikes: policy.maxStrikes,
    strikeMs: policy.strikeSeconds * 1000,
  }
}

/** Returns the first limit that a payment would exceed. Ledgers repeat the check as part of the reservation. */
export function checkBudget(
  limits: BudgetLimits,
  view: LedgerView,
  usdMicros: bigint,
): BudgetCode | Extract<ReasonCode, 'NO_DELIVERY_STRIKE'> | null {
  if (view.strikes > limits.maxStrikes) return 'NO_DELIVERY_STRIKE'
  if (usdMicros > limits.perPayment) return 'OVER_PAYMENT_LIMIT'
  if (view.spentHostDay + usdMicros > limits.perHostDay) return 'OVER_HOST_DAY_LIMIT'
  if (view.spentDay + usdMicros > limits.perDay) return 'OVER_DAY_LIMIT'
  if (limits.total !== null && view.spentTotal + usdMicros > limits.total) return 'OVER_TOTAL_LIMIT'
  if (view.hostPaymentsLastMinute >= limits.perHostPerMinute) return 'TOO_MANY_PAYMENTS'
  if (view.identicalPaymentsLastMinute >= limits.identicalPerMinute) return 'PAYMENT_LOOP'
  return null
}
