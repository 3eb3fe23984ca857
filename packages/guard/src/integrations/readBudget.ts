import { formatUsdc } from '@touchstone402/shared'
import { budgetLimits } from '../decide/budget.ts'
import { type BudgetLine, toLine } from '../ledger/spending.ts'
import type { GuardContext } from '../paying/guardContext.ts'

/**
 * Spent, reserved and remaining amounts of each budget of a guard. Omits hosts, receivers and domains without a
 * payment in the last 24 hours.
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
    return Object.fromEntries(keys.map((key) => [key.slice(prefix.length + 1), toLine(limit, day.get(key))]))
  }
  const { task } = cap
  const taskSum = { spent: task === null ? 0n : (tasks.get(task.name) ?? 0n), reserved: 0n }
  return {
    isStopped: await ledger.isStopped(),
    perPaymentUsd: formatUsdc(limits.perPayment),
    day: toLine(limits.perDay, day.get('day')),
    total: toLine(limits.total, total),
    unknown: toLine(limits.newSeller?.perDay ?? limits.unknownPerDay, day.get('unknown')),
    hosts: by('host', limits.perHostDay),
    receivers: by('payTo', limits.perReceiverDay),
    unknownDomains: by('unknown', limits.newSeller?.perDomainDay ?? limits.unknownPerDomainDay),
    task: task === null ? null : { name: task.name, ...toLine(limits.perTask, taskSum) },
  }
}
