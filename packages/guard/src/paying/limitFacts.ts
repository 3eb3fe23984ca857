import { formatUnits, USDC_DECIMALS } from '@touchstone402/shared'
import type { BudgetLimits } from '../decide/budget.ts'
import type { RefusalFacts } from '../errors.ts'
import type { SpendingSum, SpendingSummary } from '../ledger/ledger.ts'
import type { ReasonCode } from '../reasons.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** What a refusal by a limit depends on. */
export type LimitedPayment = {
  limits: BudgetLimits
  summary: SpendingSummary
  host: string
  domain: string
  payTo: string
  task: string | null
  /** Unix time in ms. */
  now: number
}

/** Returns the limit behind a refusal, what it leaves, and when it resets; nothing for other refusals. */
export function limitFacts(
  code: ReasonCode,
  { limits, summary, host, domain, payTo, task, now }: LimitedPayment,
): Pick<RefusalFacts, 'limit' | 'remaining' | 'resetsAt'> {
  const { day, total, tasks } = summary
  const ofDay = (limit: bigint | null, key: string) => toFacts(limit, day.get(key))
  switch (code) {
    case 'OVER_CALL_LIMIT':
      return toFacts(limits.perCall)
    case 'OVER_PAYMENT_LIMIT':
      return toFacts(limits.perPayment)
    case 'OVER_TASK_LIMIT':
      return toFacts(limits.perTask, { spent: tasks.get(task ?? '') ?? 0n, reserved: 0n })
    case 'OVER_TOTAL_LIMIT':
      return toFacts(limits.total, total)
    case 'OVER_DAY_LIMIT':
      return ofDay(limits.perDay, 'day')
    case 'OVER_HOST_DAY_LIMIT':
      return ofDay(limits.perHostDay, `host ${host}`)
    case 'OVER_RECEIVER_DAY_LIMIT':
      return ofDay(limits.perReceiverDay, `payTo ${payTo.toLowerCase()}`)
    case 'OVER_UNKNOWN_DAY_LIMIT':
      return ofDay(limits.unknownPerDay, 'unknown')
    case 'OVER_UNKNOWN_DOMAIN_LIMIT':
      return ofDay(limits.unknownPerDomainDay, `unknown ${domain}`)
    case 'TOO_MANY_PAYMENTS':
      return toRate(limits.perHostPerMinute, now)
    case 'PAYMENT_LOOP':
      return toRate(limits.identicalPerMinute, now)
    default:
      return {}
  }
}

const toRate = (limit: number, now: number) => ({
  ...{ limit, remaining: 0 },
  // The latest time: the oldest of the payments may leave the minute before.
  resetsAt: new Date(now + MINUTE_MS).toISOString(),
})

type Sum = Omit<SpendingSum, 'oldestAt'> | SpendingSum

function toFacts(limit: bigint | null, sum: Sum = { spent: 0n, reserved: 0n }) {
  if (limit === null) return {}
  const left = limit - sum.spent - sum.reserved
  return {
    limit: formatUnits(limit, USDC_DECIMALS),
    remaining: formatUnits(left < 0n ? 0n : left, USDC_DECIMALS),
    ...('oldestAt' in sum && { resetsAt: new Date(sum.oldestAt + DAY_MS).toISOString() }),
  }
}
