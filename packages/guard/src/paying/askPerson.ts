import { formatUsdc } from '@touchstone402/shared'
import { withDeadline } from '../deadline.ts'
import type { Question } from '../decide/ask.ts'
import { BUDGETS, type BudgetLimits, type LedgerView } from '../decide/budget.ts'
import { describeBody } from '../decide/describeBody.ts'
import { explainQuestion, toPriceBefore } from '../decide/explainQuestion.ts'
import { REASONS, type ReasonCode } from '../reasons.ts'
import { type CallRequest, copyBody } from './calls/request.ts'
import type { GuardContext } from './guardContext.ts'
import { type JudgedCall, type Judgement, lookAgain } from './judge.ts'
import type { ReadCall } from './readCall.ts'

/** Asks a person about a payment. Returns whether it is approved. */
export async function askPerson(
  context: GuardContext,
  call: ReadCall,
  judged: Judgement,
  code: ReasonCode,
): Promise<boolean> {
  const { intent, verdict } = judged
  const facts = await questionFacts(lookAgain(context, call, judged), call.copy)
  return askWithDeadline(context, { intent, code, verdict, ...facts })
}

/** Calls the handler, if any; a timeout counts as a refusal. */
async function askWithDeadline(
  { ask, askTimeoutMs, count }: GuardContext,
  question: Omit<Question, 'reason'>,
): Promise<boolean> {
  if (ask === null) return false
  count('asked')
  try {
    const answer = () => ask({ ...question, reason: REASONS[question.code] })
    const isApproved = (await withDeadline(answer, askTimeoutMs)) === true
    if (isApproved) count('approved')
    return isApproved
  } catch {
    return false
  }
}

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

/** Budgets that every payment counts against, with or without a verdict. */
const ALWAYS_COUNTED = [
  'OVER_DAY_LIMIT',
  'OVER_TASK_LIMIT',
  'OVER_HOST_DAY_LIMIT',
  'OVER_RECEIVER_DAY_LIMIT',
  'OVER_TOTAL_LIMIT',
] as const

function leastRemaining(view: LedgerView, limits: BudgetLimits): bigint {
  const remaining = ALWAYS_COUNTED.flatMap((code) => {
    const [limitOf, counted] = BUDGETS[code]
    const [limit, spent] = [limitOf(limits), counted && view[counted]]
    return typeof limit === 'bigint' && typeof spent === 'bigint' ? [limit - spent] : []
  })
  const [least = 0n] = remaining.toSorted((a, b) => (a < b ? -1 : 1))
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
