import { SETTINGS } from '../decide/allowance.ts'
import { BUDGETS, type BudgetLimits, type Counted } from '../decide/budget.ts'
import type { HostGroup } from '../decide/hosts.ts'
import type { Policy } from '../decide/policySchema.ts'
import type { RefusalFacts } from '../errors.ts'
import { formatMicros, formatUsd } from '../formatUsd.ts'
import { type Sum, sumOfHost, toLine } from '../ledger/budgetLine.ts'
import type { SpendingSummary } from '../ledger/ledger.ts'
import { BUDGET_CODES, type BudgetCode, isOneOf, type ReasonCode } from '../reasons.ts'

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
  payment: LimitedPayment,
): Partial<Pick<RefusalFacts, 'setting' | 'limit' | 'remaining' | 'resetsAt' | 'remedy'>> {
  const { policy, limits, usdMicros, struckUntil, now } = payment
  if (code === 'NO_DELIVERY_STRIKE') {
    return struckUntil === null ? {} : { resetsAt: new Date(struckUntil).toISOString() }
  }
  if (!isOneOf(BUDGET_CODES, code)) return {}
  const [limitOf, counted] = BUDGETS[code]
  const limit = limitOf(limits) ?? null
  const setting = settingOf(code, policy, limits.hostGroup)
  if (typeof limit === 'number') {
    // The latest time: the oldest of the payments may leave the minute before.
    return { setting, limit, remaining: 0, resetsAt: new Date(now + MINUTE_MS).toISOString() }
  }
  const { limitUsd, remainingUsd: remaining, resetsAt } = toLine(limit, counted && sumsOf(payment)[counted])
  if (limitUsd === null || remaining === null) return {}
  const facts = { setting, limit: limitUsd, remaining }
  if (!/_(DAY|DOMAIN)_LIMIT$/.test(code)) return facts
  if (limit !== null && usdMicros > limit) return { ...facts, remedy: NO_WAIT }
  return { ...facts, ...(resetsAt && { resetsAt }) }
}

/** Returns what counts against budgets in dollars, and since when. */
function sumsOf({
  limits,
  summary,
  host,
  domain,
  payTo,
  task,
}: LimitedPayment): Partial<Record<Counted, Sum | undefined>> {
  const { day, total, tasks } = summary
  return {
    spentTotal: total,
    spentDay: day.get('day'),
    spentHostDay: sumOfHost(day, host, limits.hostGroup),
    spentReceiverDay: day.get(`payTo ${payTo.toLowerCase()}`),
    spentUnknownDay: day.get('unknown'),
    spentUnknownDomainDay: day.get(`unknown ${domain}`),
    spentTask: { spent: tasks.get(task ?? '') ?? 0n, reserved: 0n },
  }
}

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

/** Settings of a host's entry that replace those of all hosts. */
const OWN_SETTINGS: Partial<Record<BudgetCode, 'maxPerPaymentUsd' | 'maxPerDayUsd'>> = {
  OVER_PAYMENT_LIMIT: 'maxPerPaymentUsd',
  OVER_HOST_DAY_LIMIT: 'maxPerDayUsd',
}

/** Returns the setting behind a budget: for a host, that of its entry, or without one that of all hosts. */
function settingOf(code: BudgetCode, { hosts }: Policy, group: HostGroup | undefined): string {
  const own = OWN_SETTINGS[code]
  const isOwn = own !== undefined && group !== undefined && hosts[group.entry]?.[own] !== undefined
  return isOwn ? `hosts.${group.entry}.${own}` : SETTINGS[code]
}
