import { formatUsdc } from '@touchstone402/shared'
import type { Question } from '../decide/ask.ts'
import { BUDGETS, type BudgetLimits, type LedgerView } from '../decide/budget.ts'
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

/** Budgets that a payment counts in, whoever vouches for it. */
const LASTING = [
  'OVER_TASK_LIMIT',
  'OVER_HOST_DAY_LIMIT',
  'OVER_RECEIVER_DAY_LIMIT',
  'OVER_TOTAL_LIMIT',
] as const

function leastRemaining(view: LedgerView, limits: BudgetLimits): bigint {
  let least = limits.perDay - view.spentDay
  for (const code of LASTING) {
    const [limitOf, counted] = BUDGETS[code]
    const [limit, spent] = [limitOf(limits), counted && view[counted]]
    if (typeof limit === 'bigint' && typeof spent === 'bigint' && limit - spent < least) least = limit - spent
  }
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
