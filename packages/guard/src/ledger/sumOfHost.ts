import { type HostGroup, isInGroup } from '../decide/hosts.ts'
import type { SpendingSum, SpendingSummary } from './ledger.ts'
import { HOST } from './spending.ts'

/** Returns the sum of the day of a host, or of all hosts that share its limit. */
export function sumOfHost(
  day: SpendingSummary['day'],
  host: string,
  group?: HostGroup | undefined,
): SpendingSum | undefined {
  if (group === undefined) return day.get(`${HOST}${host}`)
  const sums = [...day].filter(([key]) => key.startsWith(HOST) && isInGroup(group, key.slice(HOST.length)))
  return sums
    .map(([, sum]) => sum)
    .reduce<SpendingSum | undefined>(
      (all, sum) =>
        all
          ? {
              spent: all.spent + sum.spent,
              reserved: all.reserved + sum.reserved,
              oldestAt: Math.min(all.oldestAt, sum.oldestAt),
            }
          : sum,
      undefined,
    )
}
