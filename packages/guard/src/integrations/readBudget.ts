import { formatUsdc } from '@touchstone402/shared'
import { budgetLimits } from '../decide/budget.ts'
import { hostTerms, partsOf } from '../decide/hosts.ts'
import { type BudgetLine, sumOfHost, toLine } from '../ledger/budgetLine.ts'
import { HOST } from '../ledger/spending.ts'
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
  /** Dollars above which a payment needs approval; null if none does for its amount. */
  askAboveUsd: string | null
  /** Maximum dollars for one call of a new seller; null with a service. */
  newSellerPerCallUsd: string | null
  /** In any 24 hours. */
  day: BudgetLine
  /** Over the lifetime of the ledger. */
  total: BudgetLine
  /** In any 24 hours, without a full verdict; without a service, of new sellers. */
  unknown: BudgetLine
  /** In any 24 hours, by host, or by the entry of the policy whose hosts share the limit. */
  hosts: Record<string, BudgetLine>
  /** In any 24 hours, by receiver in lower case. */
  receivers: Record<string, BudgetLine>
  /** As `unknown`, by registrable domain. */
  unknownDomains: Record<string, BudgetLine>
  /** The task of this guard; null without one. */
  task: ({ name: string } & BudgetLine) | null
}

/** Reads the budgets of a guard from its ledger. `isAlone` is for a guard without a service. */
export async function readBudget(
  context: Pick<GuardContext, 'ledger' | 'policy' | 'cap' | 'now'>,
  isAlone: boolean,
): Promise<GuardBudget> {
  const { ledger, policy, cap, now } = context
  await ledger.refresh()
  const { day, total, tasks } = ledger.summary(now())
  const limits = budgetLimits(policy, cap, isAlone)
  const by = (prefix: string, limit: bigint | null) => {
    const keys = [...day.keys()].filter((key) => key.startsWith(`${prefix} `))
    return Object.fromEntries(keys.map((key) => [key.slice(prefix.length + 1), toLine(limit, day.get(key))]))
  }
  const hosts = [...day.keys()]
    .filter((key) => key.startsWith(HOST))
    .map((key) => {
      const host = key.slice(HOST.length)
      const terms = hostTerms(policy, partsOf(host))
      const { perHostDay, hostGroup } = budgetLimits(policy, cap, false, terms)
      return [hostGroup?.entry ?? host, toLine(perHostDay, sumOfHost(day, host, hostGroup))] as const
    })
  const { task } = cap
  const taskSum = { spent: task === null ? 0n : (tasks.get(task.name) ?? 0n), reserved: 0n }
  return {
    isStopped: await ledger.isStopped(),
    perPaymentUsd: formatUsdc(limits.perPayment),
    askAboveUsd: policy.askAboveUsd,
    newSellerPerCallUsd: limits.newSeller && formatUsdc(limits.newSeller.perCall),
    day: toLine(limits.perDay, day.get('day')),
    total: toLine(limits.total, total),
    unknown: toLine(limits.newSeller?.perDay ?? limits.unknownPerDay, day.get('unknown')),
    hosts: Object.fromEntries(hosts),
    receivers: by('payTo', limits.perReceiverDay),
    unknownDomains: by('unknown', limits.newSeller?.perDomainDay ?? limits.unknownPerDomainDay),
    task: task === null ? null : { name: task.name, ...toLine(limits.perTask, taskSum) },
  }
}
