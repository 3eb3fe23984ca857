import { formatUsdc } from '@touchstone402/shared'
import type { Question } from '../decide/ask.ts'
import type { BudgetLimits, LedgerView } from '../decide/budget.ts'
import { describeBody } from '../decide/describeBody.ts'
import { explainQuestion, toPriceBefore } from '../decide/explainQuestion.ts'
import { type CallRequest, copyBody } from './calls/request.ts'
import type { JudgedCall } from './refuseOffer.ts'

/** Returns what a person needs to know besides the payment: the values, what was paid before, the body, and what remains. */
export async function questionFacts(
  { decision, view, limits, ...place }: JudgedCall,
  request: CallRequest | undefined,
): Promise<Pick<Question, 'details' | 'before' | 'remainingUsd' | 'body'>> {
  const { details = null } = explainQuestion(decision, { ...place, view })
  return {
    details,
    before: { payTo: view.pinnedReceiver, price: toPriceBefore(view) },
    remainingUsd: formatUsdc(leastRemaining(view, limits)),
    body: await readDescription(request),
  }
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
