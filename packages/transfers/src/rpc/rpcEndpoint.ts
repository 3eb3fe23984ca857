import { ChainError } from '../chainError.ts'
import type { BlockRef, Hex, ReadOptions } from '../types.ts'
import type { ByteSink } from './body.ts'
import { createHttpPoster, type HttpReply } from './http.ts'

/** An error that an RPC answered, in its own words. */
export type RpcFault = { readonly status: number; readonly code: number | null; readonly message: string }

/** An RPC failed this question: the next one is asked. `waitMs` is how long this one asked to be left alone. */
export class RpcUnwell extends ChainError {
  readonly waitMs: number

  constructor(message: string, waitMs: number, cause?: unknown) {
    super('unreachable', message, { cause })
    this.waitMs = waitMs
  }
}

/** Whether a fault is the contract's own refusal rather than the RPC's. */
const isRevert = ({ code, message }: RpcFault): boolean =>
  code === 3 || /revert|invalid opcode|out of gas|stack underflow|bad instruction|EVM error/i.test(message)

/** One JSON-RPC URL. */
export type RpcEndpoint = {
  /** Which of the configured URLs this is; errors name it by this number only. */
  readonly ordinal: number
  /** @throws ChainError `reverted` when the contract refused, RpcUnwell with the fault as its cause otherwise */
  call(method: string, params: readonly unknown[], options?: ReadOptions): Promise<unknown>
  /** The reply to one call as bytes, whatever it is; they go to the sink as they come, unless the status is an error. */
  post(method: string, params: readonly unknown[], options?: ReadOptions, sink?: ByteSink): Promise<HttpReply>
  /** The reply to several calls of one method in one request; their ids count from 1. */
  postBatch(
    method: string,
    params: readonly (readonly unknown[])[],
    options?: ReadOptions,
  ): Promise<HttpReply>
  /** HTTP requests so far. */
  requests(): number
  close(): Promise<void>
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fault in a reply, or null when it holds a result. Bodies that are no JSON are faults too. */
export const readFault = (reply: HttpReply, answer: unknown): RpcFault | null => {
  if (!isRecord(answer)) return { status: reply.status, code: null, message: `HTTP ${reply.status}` }
  const { error } = answer
  if (isRecord(error)) {
    const data = typeof error.data === 'string' ? ` ${error.data}` : ''
    const code = typeof error.code === 'number' ? error.code : null
    return { status: reply.status, code, message: `${String(error.message ?? '')}${data}`.slice(0, 1000) }
  }
  if (typeof error === 'string') return { status: reply.status, code: null, message: error.slice(0, 1000) }
  if (!('result' in answer) || reply.status >= 400)
    return { status: reply.status, code: null, message: `HTTP ${reply.status}` }
  return null
}

/** JSON of a body, or undefined when it is none. */
export const parseBody = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** A block reference out of a block object. @throws ChainError `bad_answer` */
export const readBlock = (value: unknown): BlockRef => {
  const block = isRecord(value) ? value : {}
  const { number, hash, timestamp } = block
  const quantity = /^0x[0-9a-f]{1,13}$/i
  if (
    typeof number !== 'string' ||
    typeof hash !== 'string' ||
    typeof timestamp !== 'string' ||
    !quantity.test(number) ||
    !quantity.test(timestamp) ||
    !/^0x[0-9a-f]{64}$/i.test(hash)
  )
    throw new ChainError('bad_answer', 'An RPC answered something that is no block')
  return { number: Number(number), hash: hash.toLowerCase() as Hex, time: Number(timestamp) }
}

/** Creates a JSON-RPC caller for one URL. */
export const createRpcEndpoint = (options: {
  readonly url: string
  readonly ordinal: number
  readonly timeoutMs?: number
  readonly maxBodyBytes?: number
  readonly now: () => number
}): RpcEndpoint => {
  const poster = createHttpPoster(options)
  let requests = 0
  const post: RpcEndpoint['post'] = (method, params, read, sink) => {
    requests++
    return poster.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), read, sink)
  }
  return {
    ordinal: options.ordinal,
    post,
    postBatch(method, params, read) {
      requests++
      const calls = params.map((each, i) => ({ jsonrpc: '2.0', id: i + 1, method, params: each }))
      return poster.post(JSON.stringify(calls), read)
    },
    async call(method, params, read) {
      const reply = await post(method, params, read)
      const answer = parseBody(await reply.readAll())
      const fault = readFault(reply, answer)
      if (fault) {
        const text = `RPC ${options.ordinal} refused ${method}: ${fault.message}`
        if (isRevert(fault)) throw new ChainError('reverted', text, { cause: fault })
        throw new RpcUnwell(text, reply.retryAfterMs ?? 0, fault)
      }
      return isRecord(answer) ? answer.result : undefined
    },
    requests: () => requests,
    close: poster.close,
  }
}
