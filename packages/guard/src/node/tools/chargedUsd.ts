import { formatUsdc, usdToAtomic } from '@touchstone402/shared'
import type { Report } from '../../errors.ts'

type Charge = Pick<Report, 'amountUsd' | 'state'> & { isRepeat?: boolean }

/**
 * Returns what a call has added to what is spent, in dollars: its payment, unless an earlier or equal call was charged for
 * it, and its live check. Over all calls the sum is what was spent.
 */
export function chargedUsd(...payments: readonly (Charge | null | undefined)[]): string {
  const charged = payments.map((one) =>
    !one || one.isRepeat === true || one.state === 'signed' ? 0n : usdToAtomic(one.amountUsd),
  )
  return formatUsdc(charged.reduce((sum, amount) => sum + amount, 0n))
}
