import { formatUsdc } from '@touchstone402/shared'
import type { BudgetLimits } from '../decide/budget.ts'
import type { RefusalFacts } from '../errors.ts'
import { toLine } from '../ledger/budgetLine.ts'
import type { SpendingSummary } from '../ledger/ledger.ts'
import type { ReasonCode } from '../reasons.ts'

const MINUTE_MS = 60_000

/** What a refusal by a limit depends on. */
export type LimitedPayment = {
  limits: BudgetLimits
  summary: SpendingSummary
  host: string
  domain: string
  payTo: string
  task: string | null
  /** See `LedgerView`. */
  struckUntil: number | null
  /** Unix time in ms. */
  now: number
}

/** Returns the limit behind a refusal, its setting, what it leaves, and when it resets; nothing for other refusals. */
export function limitFacts(
  code: ReasonCode,
  { limits, summary, host, domain, payTo, task, struckUntil, now }: LimitedPayment,
): Pick<RefusalFacts, 'setting' | 'limit' | 'remaining' | 'resetsAt'> {
  const { day, total, tasks } = summary
  const { newSeller } = limits
  const ofDay = (setting: string, limit: bigint | null | undefined, key: string) =>
    toFacts(setting, limit, day.get(key))
  switch (code) {
    case 'NO_DELIVERY_STRIKE':
      return struckUntil === null ? {} : { resetsAt: new Date(struckUntil).toISOString() }
    case 'OVER_CALL_LIMIT':
      return toFacts('maxUsd of the call', limits.perCall)
    case 'OVER_PAYMENT_LIMIT':
      return toFacts('maxPerPaymentUsd', limits.perPayment)
    case 'OVER_TASK_LIMIT':
      return toFacts('maxUsd of the task', limits.perTask, {
        spent: tasks.get(task ?? '') ?? 0n,
        reserved: 0n,
      })
    case 'OVER_TOTAL_LIMIT':
      return toFacts('maxTotalUsd', limits.total, total)
    case 'OVER_DAY_LIMIT':
      return ofDay('maxPerDayUsd', limits.perDay, 'day')
    case 'OVER_HOST_DAY_LIMIT':
      return ofDay('maxPerHostPerDayUsd', limits.perHostDay, `host ${host}`)
    case 'OVER_RECEIVER_DAY_LIMIT':
      return ofDay('maxPerReceiverPerDayUsd', limits.perReceiverDay, `payTo ${payTo.toLowerCase()}`)
    case 'OVER_UNKNOWN_DAY_LIMIT':
      return ofDay('onUnknown.maxPerDayUsd', limits.unknownPerDay, 'unknown')
    case 'OVER_UNKNOWN_DOMAIN_LIMIT':
      return ofDay('onUnknown.maxPerDomainPerDayUsd', limits.unknownPerDomainDay, `unknown ${domain}`)
    case 'OVER_NEW_SELLER_LIMIT':
      return toFacts('newSeller.perCallUsd', newSeller?.perCall)
    case 'OVER_NEW_SELLER_DAY_LIMIT':
      return ofDay('newSeller.perDayUsd', newSeller?.perDomainDay, `unknown ${domain}`)
    case 'OVER_NEW_SELLERS_DAY_LIMIT':
      return ofDay('newSeller.allPerDayUsd', newSeller?.perDay, 'unknown')
    case 'TOO_MANY_PAYMENTS':
      return toRate('velocity.perHostPerMinute', limits.perHostPerMinute, now)
    case 'PAYMENT_LOOP':
      return toRate('velocity.identicalPerMinute', limits.identicalPerMinute, now)
    default:
      return {}
  }
}

const toRate = (setting: string, limit: number, now: number) => ({
  ...{ setting, limit, remaining: 0 },
  // The latest time: the oldest of the payments may leave the minute before.
  resetsAt: new Date(now + MINUTE_MS).toISOString(),
})

function toFacts(setting: string, most: bigint | null | undefined, sum?: Parameters<typeof toLine>[1]) {
  const { limitUsd: limit, remainingUsd: remaining, resetsAt } = toLine(most ?? null, sum)
  return limit === null || remaining === null
    ? {}
    : { setting, limit, remaining, ...(resetsAt && { resetsAt }) }
}

/** Says in figures what a limit refused. `usdMicros` is the price. */
export function explainLimit(
  usdMicros: bigint,
  host: string,
  { setting, limit, remaining, resetsAt }: ReturnType<typeof limitFacts>,
): string | undefined {
  const until = resetsAt === undefined ? '' : ` until ${resetsAt}`
  if (setting === undefined) return until === '' ? undefined : `It is refused${until}.`
  if (typeof limit === 'number') return `The limit for ${host} is ${limit} (${setting})${until}.`
  const left = remaining === limit ? '' : `, and ${formatUsd(remaining)} is left${until}`
  return `${formatUsd(formatUsdc(usdMicros))} for one call to ${host}; the limit is ${formatUsd(limit)} (${setting})${left}.`
}

/** Formats decimal dollars with at least two decimals. */
export function formatUsd(usd: string | number | undefined): string {
  const [whole, part = ''] = String(usd).split('.')
  return `$${whole}.${part.padEnd(2, '0')}`
}
