import type { BudgetLimits } from '../decide/budget.ts'
import type { HostGroup } from '../decide/hosts.ts'
import type { Policy } from '../decide/policySchema.ts'
import type { RefusalFacts } from '../errors.ts'
import { formatMicros, formatUsd } from '../formatUsd.ts'
import { sumOfHost, toLine } from '../ledger/budgetLine.ts'
import type { SpendingSummary } from '../ledger/ledger.ts'
import type { ReasonCode } from '../reasons.ts'

const MINUTE_MS = 60_000
/** Remedy if the price exceeds the whole limit. */
const NO_WAIT = 'Ask the owner of the wallet for a higher limit; waiting does not help.'

/** Input of a refusal by a limit. */
export type LimitedPayment = {
  policy: Policy
  limits: BudgetLimits
  summary: SpendingSummary
  host: string
  domain: string
  payTo: string
  usdMicros: bigint
  task: string | null
  /** See `LedgerView`. */
  struckUntil: number | null
  /** Unix time in ms. */
  now: number
}

/** Returns the limit behind a refusal, its setting, its remainder and its reset time; nothing for other refusals. */
export function limitFacts(
  code: ReasonCode,
  { policy, limits, summary, host, domain, payTo, usdMicros, task, struckUntil, now }: LimitedPayment,
): Partial<Pick<RefusalFacts, 'setting' | 'limit' | 'remaining' | 'resetsAt' | 'remedy'>> {
  if (code === 'NO_DELIVERY_STRIKE') {
    return struckUntil === null ? {} : { resetsAt: new Date(struckUntil).toISOString() }
  }
  const { day, total, tasks } = summary
  const { newSeller } = limits
  const ofTask = { spent: tasks.get(task ?? '') ?? 0n, reserved: 0n }
  const ofReceiver = day.get(`payTo ${payTo.toLowerCase()}`)
  const ofHost = sumOfHost(day, host, limits.hostGroup)
  const setting = (field: 'maxPerPaymentUsd' | 'maxPerDayUsd') => hostSetting(policy, limits.hostGroup, field)
  const ofDomain = day.get(`unknown ${domain}`)
  const byCode: Partial<Record<ReasonCode, Limit>> = {
    OVER_CALL_LIMIT: ['maxUsd of the call', limits.perCall],
    OVER_PAYMENT_LIMIT: [setting('maxPerPaymentUsd'), limits.perPayment],
    OVER_TASK_LIMIT: ['maxUsd of the task', limits.perTask, ofTask],
    OVER_TOTAL_LIMIT: ['maxTotalUsd', limits.total, total],
    OVER_DAY_LIMIT: ['maxPerDayUsd', limits.perDay, day.get('day')],
    OVER_HOST_DAY_LIMIT: [setting('maxPerDayUsd'), limits.perHostDay, ofHost],
    OVER_RECEIVER_DAY_LIMIT: ['maxPerReceiverPerDayUsd', limits.perReceiverDay, ofReceiver],
    OVER_UNKNOWN_DAY_LIMIT: ['onUnknown.maxPerDayUsd', limits.unknownPerDay, day.get('unknown')],
    OVER_UNKNOWN_DOMAIN_LIMIT: ['onUnknown.maxPerDomainPerDayUsd', limits.unknownPerDomainDay, ofDomain],
    OVER_NEW_SELLER_LIMIT: ['newSeller.perCallUsd', newSeller?.perCall],
    OVER_NEW_SELLER_DAY_LIMIT: ['newSeller.perDayUsd', newSeller?.perDomainDay, ofDomain],
    OVER_NEW_SELLERS_DAY_LIMIT: ['newSeller.allPerDayUsd', newSeller?.perDay, day.get('unknown')],
    TOO_MANY_PAYMENTS: ['velocity.perHostPerMinute', limits.perHostPerMinute],
    PAYMENT_LOOP: ['velocity.identicalPerMinute', limits.identicalPerMinute],
  }
  const [name, limit = null, sum] = byCode[code] ?? []
  if (name === undefined) return {}
  if (typeof limit === 'number') {
    // The latest time: the oldest of the payments may leave the minute before.
    return { setting: name, limit, remaining: 0, resetsAt: new Date(now + MINUTE_MS).toISOString() }
  }
  const { limitUsd, remainingUsd: remaining, resetsAt } = toLine(limit, sum)
  if (limitUsd === null || remaining === null) return {}
  const facts = { setting: name, limit: limitUsd, remaining }
  if (!/_(DAY|DOMAIN)_LIMIT$/.test(code)) return facts
  if (limit !== null && usdMicros > limit) return { ...facts, remedy: NO_WAIT }
  return { ...facts, ...(resetsAt && { resetsAt }) }
}

/** The setting of a limit, its value, and what counts against it: dollars in millionths, or payments in a minute. */
type Limit = [setting: string, limit: bigint | number | null | undefined, sum?: Parameters<typeof toLine>[1]]

/** Describes a refusal by a limit in figures. `usdMicros` is the price. */
export function explainLimit(
  usdMicros: bigint,
  host: string,
  { limit, remaining = '0', resetsAt }: ReturnType<typeof limitFacts>,
): string | undefined {
  if (limit === undefined) return resetsAt && `It is refused until ${resetsAt}.`
  const more = resetsAt === undefined ? '' : `, more from ${resetsAt}`
  if (typeof limit === 'number') return `The limit for ${host} is ${limit} a minute${more}.`
  const left = remaining === limit ? '' : `; ${formatUsd(remaining)} is left${more}`
  return `${formatMicros(usdMicros)} for one call to ${host}; the limit is ${formatUsd(limit)}${left}.`
}

/** Returns the name of the setting behind a limit of a host: that of its entry, or without one that of all hosts. */
function hostSetting(
  { hosts }: Policy,
  group: HostGroup | undefined,
  field: 'maxPerPaymentUsd' | 'maxPerDayUsd',
): string {
  if (group !== undefined && hosts[group.entry]?.[field] !== undefined) return `hosts.${group.entry}.${field}`
  return field === 'maxPerDayUsd' ? 'maxPerHostPerDayUsd' : field
}
