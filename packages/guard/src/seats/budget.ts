import { formatUnits, USDC_DECIMALS } from '@touchstone402/shared'
import { budgetLimits } from '../decide/budget.ts'
import type { SpendingSum } from '../ledger/ledger.ts'
import type { GuardContext } from '../paying/guardContext.ts'

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

/**
 * What is spent, reserved and left of each budget of a guard. Hosts, receivers and domains without a payment in the
 * last 24 hours are absent.
 * @example
 * const left = ({ day }: GuardBudget) => day.remainingUsd
 */
export type GuardBudget = {
  /** Whether payments are stopped. */
  isStopped: boolean
  /** Maximum dollars for one payment. */
  perPaymentUsd: string
  /** In any 24 hours. */
  day: BudgetLine
  /** Over the lifetime of the ledger. */
  total: BudgetLine
  /** In any 24 hours, without a full verdict. */
  unknown: BudgetLine
  /** In any 24 hours, by host. */
  hosts: Record<string, BudgetLine>
  /** In any 24 hours, by receiver in lower case. */
  receivers: Record<string, BudgetLine>
  /** In any 24 hours, without a full verdict, by registrable domain. */
  unknownDomains: Record<string, BudgetLine>
  /** The task of this guard; null without one. */
  task: ({ name: string } & BudgetLine) | null
}

const DAY_MS = 86_400_000
const NOTHING: Omit<SpendingSum, 'oldestAt'> = { spent: 0n, reserved: 0n }

/** Reads the budgets of a guard from its ledger. */
export async function readBudget(
  context: Pick<GuardContext, 'ledger' | 'policy' | 'cap' | 'now'> & Partial<Pick<GuardContext, 'verdicts'>>,
): Promise<GuardBudget> {
  const { ledger, policy, cap, now } = context
  await ledger.refresh()
  const { day, total, tasks } = ledger.summary(now())
  const limits = budgetLimits(policy, cap, context.verdicts === null)
  const by = (prefix: string, limit: bigint | null) => {
    const keys = [...day.keys()].filter((key) => key.startsWith(`${prefix} `))
    return Object.fromEntries(
      keys.map((key) => [key.slice(prefix.length + 1), toLine(limit, day.get(key) ?? NOTHING)]),
    )
  }
  const { task } = cap
  const taskSum = { spent: task === null ? 0n : (tasks.get(task.name) ?? 0n), reserved: 0n }
  return {
    isStopped: await ledger.isStopped(),
    perPaymentUsd: formatUsd(limits.perPayment),
    day: toLine(limits.perDay, day.get('day') ?? NOTHING),
    total: toLine(limits.total, total),
    unknown: toLine(limits.newSeller?.perDay ?? limits.unknownPerDay, day.get('unknown') ?? NOTHING),
    hosts: by('host', limits.perHostDay),
    receivers: by('payTo', limits.perReceiverDay),
    unknownDomains: by('unknown', limits.newSeller?.perDomainDay ?? limits.unknownPerDomainDay),
    task: task === null ? null : { name: task.name, ...toLine(limits.perTask, taskSum) },
  }
}

function toLine(limit: bigint | null, sum: Omit<SpendingSum, 'oldestAt'> | SpendingSum): BudgetLine {
  const { spent, reserved } = sum
  const left = limit === null ? null : limit - spent - reserved
  return {
    limitUsd: limit === null ? null : formatUsd(limit),
    spentUsd: formatUsd(spent),
    reservedUsd: formatUsd(reserved),
    remainingUsd: left === null ? null : formatUsd(left < 0n ? 0n : left),
    resetsAt: 'oldestAt' in sum ? new Date(sum.oldestAt + DAY_MS).toISOString() : null,
  }
}

const formatUsd = (micros: bigint): string => formatUnits(micros, USDC_DECIMALS)
