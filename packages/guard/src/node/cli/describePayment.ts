import { formatUsd } from '../../formatUsd.ts'
import type { GuardBudget } from '../../integrations/readBudget.ts'

/** Describes the limits of one payment. */
export function describePayment({ perPaymentUsd, newSellerPerCallUsd, askAboveUsd }: GuardBudget): string {
  const parts = [
    `at most ${formatUsd(perPaymentUsd)}`,
    ...(newSellerPerCallUsd === null ? [] : [`${formatUsd(newSellerPerCallUsd)} to a new seller`]),
    ...(askAboveUsd === null ? [] : [`above ${formatUsd(askAboveUsd)} with approval`]),
  ]
  return `One payment: ${parts.join(', ')}`
}
