import { usdToAtomic } from '@touchstone402/shared'
import { misconfigured } from '../errors.ts'
import { BUDGET_CODES, type BudgetCode, type ReasonCode } from '../reasons.ts'
import { type HostGroup, type HostTerms, hostTerms } from './hosts.ts'
import type { Policy } from './policySchema.ts'

/**
 * A price that was paid before.
 * @example
 * const isRecent = ({ at }: PaidPrice) => at !== null && at > Date.now() - 86_400_000
 */
export type PaidPrice = {
  usdMicros: bigint
  /** Unix time in ms of the last payment there; null where a ledger of an earlier version has not recorded it. */
  at: number | null
}

/**
 * Ledger state that one prospective payment is judged by; amounts in millionths of a dollar.
 * @example
 * const left = (view: LedgerView) => 5_000_000n - view.spentDay
 */
export type LedgerView = {
  spentTotal: bigint
  /** In the last 24 hours. */
  spentDay: bigint
  /** In the last 24 hours, at this host, or at all hosts of its entry in the policy. */
  spentHostDay: bigint
  /** In the last 24 hours, to this receiver. */
  spentReceiverDay: bigint
  /** In the last 24 hours, without a full verdict. */
  spentUnknownDay: bigint
  /** In the last 24 hours, without a full verdict, at hosts of this registrable domain. */
  spentUnknownDomainDay: bigint
  /** Over the lifetime of the ledger, for this task. */
  spentTask: bigint
  /** Payments to this host in the last 60 seconds. */
  hostPaymentsLastMinute: number
  /** Payments for the identical call in the last 60 seconds. */
  identicalPaymentsLastMinute: number
  /** Unix time in ms until which paid calls without delivery bar this endpoint; null if they do not. */
  struckUntil: number | null
  /** Receiver last paid at this endpoint in this asset. */
  pinnedReceiver: string | null
  /** Whether this endpoint was paid in other assets or on other networks only. */
  isNewAsset: boolean
  /** Calls that this host has delivered for payments to this receiver. */
  deliveries: number
  /** Median of the latest payments at this endpoint; `isOfOthers` if neither this agent nor the owner has made any. */
  usual: (PaidPrice & { isOfOthers?: boolean }) | null
  /** Dearest call that this host has delivered for a payment to this receiver; without one, the median at this host. */
  dearestAtHost: PaidPrice | null
}

/** Limits that a ledger enforces on each reservation; amounts in millionths of a dollar, null means no limit. */
export type BudgetLimits = {
  perCall: bigint | null
  perPayment: bigint
  perTask: bigint | null
  perHostDay: bigint
  /** The hosts that share `perHostDay`. @default the host of the payment alone */
  hostGroup?: HostGroup
  perReceiverDay: bigint | null
  perDay: bigint
  total: bigint | null
  unknownPerDomainDay: bigint
  unknownPerDay: bigint
  /** Takes the place of the limits for the unknown where no service gives verdicts; otherwise null. */
  newSeller: { perCall: bigint; perDomainDay: bigint; perDay: bigint } | null
  perHostPerMinute: number
  identicalPerMinute: number
  maxStrikes: number
  strikeMs: number
}

/** Caps of a call and of a task, beside those of the policy; amounts in millionths of a dollar. */
export type SpendingCap = {
  perCall: bigint | null
  /** An amount of null means no limit: an agent may have no budget of its own. */
  task: { name: string; usdMicros: bigint | null } | null
  /** Name of the agent behind a token, who is not believed about money; null for the owner's own programs. */
  agent: string | null
}

/** A payment without its own caps. */
export const NO_CAP: SpendingCap = { perCall: null, task: null, agent: null }

/** Limits of a host that has no entry in `hosts`. */
const anyHost = (policy: Policy): HostTerms =>
  hostTerms({ ...policy, hosts: {} }, { scheme: 'https', host: '', hostname: '' })

/** Extracts the limits of a policy. `isAlone` is for a guard without a service. */
export function budgetLimits(
  policy: Policy,
  cap: SpendingCap = NO_CAP,
  isAlone = false,
  { maxPerPaymentUsd, maxPerDayUsd, group }: HostTerms = anyHost(policy),
): BudgetLimits {
  const { perCallUsd, perDayUsd, allPerDayUsd } = policy.newSeller
  return {
    newSeller: isAlone
      ? {
          perCall: usdToAtomic(perCallUsd),
          perDomainDay: usdToAtomic(perDayUsd),
          perDay: usdToAtomic(allPerDayUsd),
        }
      : null,
    perCall: cap.perCall,
    perPayment: usdToAtomic(maxPerPaymentUsd),
    perTask: cap.task?.usdMicros ?? null,
    perHostDay: usdToAtomic(maxPerDayUsd),
    ...(group && { hostGroup: group }),
    perReceiverDay: toLimit(policy.maxPerReceiverPerDayUsd),
    perDay: usdToAtomic(policy.maxPerDayUsd),
    total: toLimit(policy.maxTotalUsd),
    unknownPerDomainDay: usdToAtomic(policy.onUnknown.maxPerDomainPerDayUsd),
    unknownPerDay: usdToAtomic(policy.onUnknown.maxPerDayUsd),
    perHostPerMinute: policy.velocity.perHostPerMinute,
    identicalPerMinute: policy.velocity.identicalPerMinute,
    maxStrikes: policy.maxStrikes,
    strikeMs: policy.strikeSeconds * 1000,
  }
}

const toLimit = (usd: string | null): bigint | null => (usd === null ? null : usdToAtomic(usd))

/** Sums of a ledger that count against budgets. */
export type Counted =
  | 'spentTotal'
  | 'spentDay'
  | 'spentHostDay'
  | 'spentReceiverDay'
  | 'spentUnknownDay'
  | 'spentUnknownDomainDay'
  | 'spentTask'
  | 'hostPaymentsLastMinute'
  | 'identicalPaymentsLastMinute'

/** A limit and the sum counted against it; without a sum, the limit applies to each payment alone. */
type Budget = readonly [
  limitOf: (limits: BudgetLimits) => bigint | number | null | undefined,
  counted?: Counted | undefined,
  /** Payments without a full verdict that it limits. @default all payments */
  scope?: 'unknown' | 'newSeller',
]

/** The budget of each code. */
export const BUDGETS: Readonly<Record<BudgetCode, Budget>> = {
  OVER_CALL_LIMIT: [(limits) => limits.perCall],
  OVER_PAYMENT_LIMIT: [(limits) => limits.perPayment],
  OVER_TASK_LIMIT: [(limits) => limits.perTask, 'spentTask'],
  OVER_HOST_DAY_LIMIT: [(limits) => limits.perHostDay, 'spentHostDay'],
  OVER_RECEIVER_DAY_LIMIT: [(limits) => limits.perReceiverDay, 'spentReceiverDay'],
  OVER_DAY_LIMIT: [(limits) => limits.perDay, 'spentDay'],
  OVER_TOTAL_LIMIT: [(limits) => limits.total, 'spentTotal'],
  OVER_UNKNOWN_DOMAIN_LIMIT: [(limits) => limits.unknownPerDomainDay, 'spentUnknownDomainDay', 'unknown'],
  OVER_UNKNOWN_DAY_LIMIT: [(limits) => limits.unknownPerDay, 'spentUnknownDay', 'unknown'],
  OVER_NEW_SELLER_LIMIT: [({ newSeller }) => newSeller?.perCall, undefined, 'newSeller'],
  OVER_NEW_SELLER_DAY_LIMIT: [
    ({ newSeller }) => newSeller?.perDomainDay,
    'spentUnknownDomainDay',
    'newSeller',
  ],
  OVER_NEW_SELLERS_DAY_LIMIT: [({ newSeller }) => newSeller?.perDay, 'spentUnknownDay', 'newSeller'],
  TOO_MANY_PAYMENTS: [(limits) => limits.perHostPerMinute, 'hostPaymentsLastMinute'],
  PAYMENT_LOOP: [(limits) => limits.identicalPerMinute, 'identicalPaymentsLastMinute'],
}

/** Amount of a prospective payment, and whether a full verdict supports it. */
type Priced = { usdMicros: bigint; isVouched: boolean }

/** Returns the first limit that a payment would exceed. Ledgers repeat the check as part of the reservation. */
export function checkBudget(
  limits: BudgetLimits,
  view: LedgerView,
  { usdMicros, isVouched }: Priced,
): BudgetCode | Extract<ReasonCode, 'NO_DELIVERY_STRIKE'> | null {
  if (view.struckUntil !== null) return 'NO_DELIVERY_STRIKE'
  const scope = isVouched ? null : limits.newSeller === null ? 'unknown' : 'newSeller'
  const isOver = (code: BudgetCode) => {
    const [limitOf, counted, only = scope] = BUDGETS[code]
    const limit = limitOf(limits) ?? null
    if (limit === null || only !== scope) return false
    const spent = counted === undefined ? 0n : view[counted]
    return typeof spent === 'number' ? spent >= limit : spent + usdMicros > limit
  }
  return BUDGET_CODES.find(isOver) ?? null
}

/**
 * Limit of one call.
 * @example
 * const cap: CallCap = { maxUsd: '0.05' }
 */
export type CallCap = {
  /** Maximum dollars for this call, as a decimal string. @default no limit beside the policy's */
  maxUsd?: string | undefined
}

/** Adds the limit of a call to the caps in force. @throws ConfigurationError */
export function capCall(cap: SpendingCap, { maxUsd }: CallCap = {}): SpendingCap {
  return maxUsd === undefined ? cap : { ...cap, perCall: readCap('maxUsd', maxUsd) }
}

const MAX_NAME = 200

/** Adds the budget of a task to the caps in force, or that of an agent, which may have none. @throws ConfigurationError */
export function capTask(
  cap: SpendingCap,
  name: string,
  maxUsd: string | undefined,
  isAgent: boolean,
): SpendingCap {
  if (cap.task !== null) {
    throw misconfigured(`task: tasks cannot be nested; create ${JSON.stringify(name)} from the guard itself`)
  }
  if (typeof name !== 'string' || name.length === 0 || name.length > MAX_NAME) {
    throw misconfigured(`task: expected a name of 1-${MAX_NAME} characters`)
  }
  const usdMicros = isAgent && maxUsd === undefined ? null : readCap('maxUsd', maxUsd)
  const task = { name, usdMicros }
  return { ...cap, task, agent: isAgent ? name : null }
}

function readCap(field: string, given: unknown): bigint {
  try {
    if (typeof given === 'string') return usdToAtomic(given)
  } catch {
    // Reported below.
  }
  throw misconfigured(`${field}: expected dollars as a decimal string such as "0.50", got ${describe(given)}`)
}

function describe(given: unknown): string {
  if (typeof given === 'string') return JSON.stringify(given)
  return typeof given === 'number' ? `the number ${given}` : typeof given
}
