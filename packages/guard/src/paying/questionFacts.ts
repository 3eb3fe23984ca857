import { formatUsdc } from '@touchstone402/shared'
import type { PriceBefore, Question } from '../decide/ask.ts'
import type { BudgetLimits, LedgerView, PaidPrice } from '../decide/budget.ts'
import { describeBody } from '../decide/describeBody.ts'
import { type CallRequest, copyBody } from './calls/request.ts'

/** Returns what a person needs to know besides the payment: what was paid before, the body, and what remains. */
export async function questionFacts(
  view: LedgerView,
  limits: BudgetLimits,
  request: CallRequest | undefined,
): Promise<Pick<Question, 'before' | 'remainingUsd' | 'body'>> {
  const { pinnedReceiver, usual, dearestAtHost } = view
  const price = usual === null ? toPrice(dearestAtHost, false) : toPrice(usual, true)
  return {
    before: { payTo: pinnedReceiver, price },
    remainingUsd: formatUsdc(leastRemaining(view, limits)),
    body: await readDescription(request),
  }
}

const toPrice = (paid: PaidPrice | null, isHere: boolean): PriceBefore | null =>
  paid && {
    usd: formatUsdc(paid.usdMicros),
    isHere,
    paidAt: paid.at === null ? null : new Date(paid.at).toISOString(),
  }

function leastRemaining(view: LedgerView, limits: BudgetLimits): bigint {
  const budgets: [limit: bigint | null, spent: bigint][] = [
    [limits.perTask, view.spentTask],
    [limits.perHostDay, view.spentHostDay],
    [limits.perReceiverDay, view.spentReceiverDay],
    [limits.total, view.spentTotal],
  ]
  let least = limits.perDay - view.spentDay
  for (const [limit, spent] of budgets) if (limit !== null && limit - spent < least) least = limit - spent
  return least < 0n ? 0n : least
}

async function readDescription(request: CallRequest | undefined): Promise<Question['body']> {
  try {
    const copy = request && copyBody(request)
    return copy?.body ? await describeBody(new Uint8Array(await copy.arrayBuffer())) : null
  } catch {
    // It was read already.
    return null
  }
}
