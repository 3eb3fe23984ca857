import { randomBytes } from 'node:crypto'
import type { Question } from '../../decide/ask.ts'
import type { GuardError } from '../../errors.ts'
import type { PaymentIntent } from '../../types.ts'

/** A payment that waits for the operator, or has been answered. */
export type Approval = {
  id: string
  task: string
  question: Question
  state: 'pending' | 'approved' | 'refused'
  /** Unix time in ms. */
  expiresAt: number
}

/** Questions of the policy to the operator. */
export type Approvals = ReturnType<typeof createApprovals>

const LIFETIME_MS = 600_000
/** Questions of one task at a time; more are refused. */
const MAX_OPEN = 100

/** Creates an empty list of questions. `bodyOf` returns a hash of the body of the call under way. */
export function createApprovals(now: () => number, bodyOf: () => string) {
  const open = new Map<string, Approval>()
  const keyOf = (task: string, intent: PaymentIntent) => {
    const { url, method, network, asset, payTo, scheme, amountAtomic } = intent
    return JSON.stringify([task, method, url, bodyOf(), network, asset, payTo, scheme, amountAtomic])
  }
  const expire = () => {
    for (const [key, { expiresAt }] of open) if (expiresAt <= now()) open.delete(key)
  }
  const pending = () => {
    expire()
    return [...open.values()].filter(({ state }) => state === 'pending')
  }
  return {
    /**
     * Creates the handler of a task. It answers at once: yes if the operator has approved an equal payment, which this
     * uses up, otherwise no, and the question waits for the operator.
     */
    handlerOf: (task: string) => (question: Question) => {
      expire()
      const key = keyOf(task, question.intent)
      const known = open.get(key)
      if (known !== undefined) return known.state === 'approved' && open.delete(key)
      const ofTask = [...open.values()].filter((one) => one.task === task)
      if (ofTask.length >= MAX_OPEN) return false
      const id = randomBytes(6).toString('hex')
      open.set(key, { id, task, question, state: 'pending', expiresAt: now() + LIFETIME_MS })
      return false
    },
    /** Returns the question that refused a call, if it is not answered yet. */
    findPending(task: string, { intent, code }: Pick<GuardError, 'code' | 'intent'>): Approval | undefined {
      const found = intent && open.get(keyOf(task, intent))
      return found?.state === 'pending' && found.question.code === code ? found : undefined
    },
    /** Returns the questions that are not answered yet, oldest first. */
    pending,
    /** Answers a question. Returns undefined if it is not pending. */
    answer(id: string, isApproved: boolean): Approval | undefined {
      const found = pending().find((one) => one.id === id)
      if (found !== undefined) found.state = isApproved ? 'approved' : 'refused'
      return found
    },
  }
}
