import { formatUsdc } from '@touchstone402/shared'
import type { HostGroup } from '../decide/hosts.ts'
import type { SpendingSum, SpendingSummary } from './ledger.ts'
import { DAY_MS, HOST, isKeyOf } from './spending.ts'

/**
 * State of one budget; amounts are dollars as decimal strings.
 * @example
 * const isLow = ({ remainingUsd }: BudgetLine) => remainingUsd !== null && Number(remainingUsd) < 0.1
 */
export type BudgetLine = {
  /** Null means no limit. */
  limitUsd: string | null
  /** Payments that settled, or that may have. */
  spentUsd: string
  /** Payments in flight; they count against the limit. */
  reservedUsd: string
  /** Null means no limit. */
  remainingUsd: string | null
  /** ISO time at which the oldest payment leaves the 24 hours; null if nothing does. */
  resetsAt: string | null
}

/** A sum counted against a limit; that of a day has the time of its oldest payment. */
export type Sum = Omit<SpendingSum, 'oldestAt'> | SpendingSum

/** Returns the remainder of a limit in millionths of a dollar. @param sum amount that counts against it. @default nothing */
export function toLine(limit: bigint | null, sum: Sum = { spent: 0n, reserved: 0n }): BudgetLine {
  const { spent, reserved } = sum
  const left = limit === null ? null : limit - spent - reserved
  return {
    limitUsd: limit === null ? null : formatUsdc(limit),
    spentUsd: formatUsdc(spent),
    reservedUsd: formatUsdc(reserved),
    remainingUsd: left === null ? null : formatUsdc(left < 0n ? 0n : left),
    resetsAt: 'oldestAt' in sum ? new Date(sum.oldestAt + DAY_MS).toISOString() : null,
  }
}

/** Returns the sum of the day of a host, or of all hosts that share its limit. */
export function sumOfHost(
  day: SpendingSummary['day'],
  host: string,
  group?: HostGroup | undefined,
): SpendingSum | undefined {
  if (group === undefined) return day.get(`${HOST}${host}`)
  const [first, ...rest] = [...day].filter(([key]) => isKeyOf(group, key)).map(([, sum]) => sum)
  if (first === undefined) return undefined
  const all = { ...first }
  for (const { spent, reserved, oldestAt } of rest) {
    all.spent += spent
    all.reserved += reserved
    all.oldestAt = Math.min(all.oldestAt, oldestAt)
  }
  return all
}
