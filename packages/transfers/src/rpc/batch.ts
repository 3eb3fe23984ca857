import { setImmediate as nextTurn } from 'node:timers/promises'
import { asObject } from '@touchstone402/shared'
import type { ReadOptions } from '../types.ts'
import type { ReceivedBody } from './body.ts'
import { parseBody, type RpcFault, readFault, toFailure } from './rpcReply.ts'
import { type Outcome, type RpcCall, type RpcRequest, toRequest } from './rpcRequest.ts'

type Reply = Pick<ReceivedBody, 'readAll'> & { readonly status: number; readonly retryAfterMs: number | null }
type BatchDeps = {
  /** Index of the RPC, which errors name it by. */
  readonly ordinal: number
  readonly post: (request: RpcRequest | readonly RpcRequest[], read?: ReadOptions) => Promise<Reply>
  /** Unix time in ms. */
  readonly now: () => number
  readonly noteFault: (fault: RpcFault) => void
}

/** Returns the outcome of one call. */
export type AskOne = (call: RpcCall, read?: ReadOptions) => Promise<Outcome>

/** Collects calls with the same limits that are made at once, and asks for them in one batch. */
export function collectCalls(batch: ReturnType<typeof createBatch>): AskOne {
  type Open = { readonly read: ReadOptions; readonly calls: RpcCall[]; readonly outcomes: Promise<Outcome[]> }
  let open: Open[] = []
  const isAlike = (one: ReadOptions, other: ReadOptions) =>
    one.signal === other.signal &&
    one.deadlineAt === other.deadlineAt &&
    one.allowance === other.allowance &&
    one.purpose === other.purpose
  return async (call, read = {}) => {
    let found = open.find((one) => one.calls.length < MAX_CALLS && isAlike(one.read, read))
    if (found === undefined) {
      const calls: RpcCall[] = []
      const outcomes = nextTurn().then(() => {
        open = open.filter((one) => one.calls !== calls)
        return batch(calls, read)
      })
      found = { read, calls, outcomes }
      open.push(found)
    }
    const index = found.calls.push(call) - 1
    const outcome = (await found.outcomes)[index]
    if (outcome === undefined) throw new RangeError('A batch lacks an outcome')
    return outcome
  }
}

/** Calls of one batch. */
const MAX_CALLS = 20
/** Time without batches at an RPC that refused one. */
const SINGLE_MS = 3_600_000

/** Creates the batches of one RPC: one HTTP request each or, while it refuses them, one for each call. */
export function createBatch({
  ordinal,
  now,
  post,
  noteFault,
}: BatchDeps): (calls: readonly RpcCall[], read?: ReadOptions) => Promise<Outcome[]> {
  let singleUntil = Number.NEGATIVE_INFINITY

  const toOutcome = ({ status, retryAfterMs }: Reply, answer: unknown): Outcome => {
    const fault = readFault(status, answer, retryAfterMs)
    if (fault === null) return { result: asObject(answer)?.result }
    noteFault(fault)
    return { fault }
  }

  const askOne = async ({ method, params }: RpcCall, read?: ReadOptions): Promise<Outcome> => {
    const reply = await post(toRequest(method, params), read)
    return toOutcome(reply, parseBody(await reply.readAll()))
  }

  /** Returns null if the RPC takes no batch, or answers a part of it only. */
  const askAll = async (calls: readonly RpcCall[], read?: ReadOptions): Promise<Outcome[] | null> => {
    const requests = calls.map(({ method, params }, i) => toRequest(method, params, i + 1))
    const reply = await post(requests, read)
    const answers = parseBody(await reply.readAll())
    if (reply.status === 429 || reply.status >= 500)
      throw toFailure(ordinal, 'a batch', readFault(reply.status, answers, reply.retryAfterMs))
    if (!Array.isArray(answers)) return null
    const byId = new Map(answers.map((answer) => [asObject(answer)?.id, answer]))
    if (!requests.every(({ id }) => byId.has(id))) return null
    return requests.map(({ id }) => toOutcome(reply, byId.get(id)))
  }

  return async (calls, read) => {
    if (calls.length > 1 && now() >= singleUntil) {
      const outcomes = await askAll(calls, read)
      if (outcomes !== null) return outcomes
      singleUntil = now() + SINGLE_MS
    }
    return Promise.all(calls.map((call) => askOne(call, read)))
  }
}
