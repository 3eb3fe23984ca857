import { randomBytes } from 'node:crypto'
import type { AskHandler, Question } from '../../decide/ask.ts'
import { identifyBody } from '../../paying/calls/identifyCall.ts'
import { readRequest } from '../../paying/calls/request.ts'

/** A payment that waits for the operator, or has been answered. */
export type PendingApproval = {
  id: string
  task: string
  question: Question
  state: 'pending' | 'approved' | 'refused'
  /** Unix time in ms. */
  expiresAt: number
}

/** Says how a call that waits for the operator can be allowed. */
export const remedyOf = ({ id }: PendingApproval): string =>
  `Ask the operator to approve ${id} (touchstone approve ${id}), then repeat the call.`

/** A call in progress, as far as approvals know it. */
export type AskedCall = {
  /** Its body; null without one. */
  body: Uint8Array | null
  /** Its media type; null if it names none. */
  type: string | null
  /** The question that refused the call, if it waits for the operator. */
  approval: PendingApproval | null
}

/** A pending approval, with the whole body of its call. */
export type PendingWithBody = { approval: PendingApproval; body: Uint8Array | null }

/** Questions of the policy to the operator. */
export type PendingApprovals = ReturnType<typeof createPendingApprovals>

const LIFETIME_MS = 600_000
/** Questions of one task at a time, and bytes of the bodies kept for them; more are refused. */
const MAX_OPEN = 100
const MAX_BYTES = 8 * 1024 * 1024

/** Creates an empty list of questions. */
export function createPendingApprovals(now: () => number) {
  const open = new Map<string, PendingWithBody>()
  const keyOf = (task: string, { intent, code }: Question, bodyId: string) => {
    const { url, method, network, asset, payTo, scheme, amountAtomic } = intent
    // Who approves an amount has not approved a warning that came since.
    return JSON.stringify([task, method, url, bodyId, network, asset, payTo, scheme, amountAtomic, code])
  }
  const expire = () => {
    for (const [key, { approval }] of open) if (approval.expiresAt <= now()) open.delete(key)
  }
  const pending = () => {
    expire()
    return [...open.values()].filter(({ approval }) => approval.state === 'pending')
  }
  const find = (id: string) => pending().find(({ approval }) => approval.id === id)
  return {
    /**
     * Creates the handler of a task. It answers at once: yes if the operator has approved an equal payment, which this
     * uses up, otherwise no, and the question waits for the operator.
     */
    handlerOf(task: string, callOf: () => AskedCall | undefined): AskHandler {
      return async (question) => {
        const call = callOf()
        const body = call?.body ?? null
        const key = keyOf(task, question, await identify(body, call?.type ?? null))
        expire()
        const known = open.get(key)
        if (known?.approval.state === 'approved') return open.delete(key)
        if (known === undefined && !hasRoom(task, body)) return false
        const asked = known ?? { approval: create(task, question), body }
        open.set(key, asked)
        if (call !== undefined && asked.approval.state === 'pending') call.approval = asked.approval
        return false
      }
    },
    /** Returns the questions that are not answered yet, oldest first. */
    pending: (): PendingApproval[] => pending().map(({ approval }) => approval),
    /** Returns a question that is not answered yet. */
    find,
    /** Answers a question. Returns undefined if it is not pending. */
    answer(id: string, isApproved: boolean): PendingWithBody | undefined {
      const found = find(id)
      if (found !== undefined) found.approval.state = isApproved ? 'approved' : 'refused'
      return found
    },
  }

  /** Identifies a body: calls that differ in the id of JSON-RPC alone are equal. */
  async function identify(body: Uint8Array | null, type: string | null): Promise<string> {
    if (body === null) return ''
    const headers: Record<string, string> = type === null ? {} : { 'content-type': type }
    return identifyBody(
      readRequest('https://body.example', { method: 'POST', headers, body: new Blob([body as BlobPart]) }),
    )
  }

  function create(task: string, question: Question): PendingApproval {
    const id = randomBytes(6).toString('hex')
    return { id, task, question, state: 'pending', expiresAt: now() + LIFETIME_MS }
  }

  function hasRoom(task: string, body: Uint8Array | null): boolean {
    const ofTask = [...open.values()].filter(({ approval }) => approval.task === task)
    const bytes = ofTask.reduce((sum, one) => sum + (one.body?.length ?? 0), body?.length ?? 0)
    return ofTask.length < MAX_OPEN && bytes <= MAX_BYTES
  }
}
