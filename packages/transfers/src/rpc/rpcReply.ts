import { asObject } from '@touchstone402/shared'
import { ChainError } from '../chainError.ts'
import type { BlockRef, Hex } from '../types.ts'

/** Error that an RPC answered with. */
export type RpcFault = {
  readonly status: number
  readonly code: number | null
  /** Its words, those of its data included, cut to 1,000 characters. */
  readonly message: string
  /** Texts and numbers in its data. */
  readonly data: readonly string[]
  /** Back-off that the RPC asks for, in ms. */
  readonly waitMs: number
}

/** One RPC failed this request; the pool tries the next. `waitMs` is its requested back-off. */
export class RpcFailure extends ChainError {
  readonly waitMs: number
  /** Error that the RPC answered with; null for other failures. */
  readonly fault: RpcFault | null

  constructor(message: string, waitMs: number, fault: RpcFault | null = null) {
    super('unreachable', message, { cause: fault ?? undefined })
    this.waitMs = waitMs
    this.fault = fault
  }
}

/** Creates the failure of a refused method. */
export function toFailure(ordinal: number, method: string, fault: RpcFault | null): RpcFailure {
  const text = `RPC ${ordinal} refused ${method}: ${fault?.message ?? 'no answer'}`
  return new RpcFailure(text, fault?.waitMs ?? 0, fault)
}

/** An RPC took a request and did not answer in time, or cut the connection: it may answer a smaller one. */
export class RpcTimeout extends ChainError {
  constructor(message: string) {
    super('unreachable', message)
  }
}

const QUANTITY = /^0x[0-9a-f]{1,13}$/i

/** Formats a number as a JSON-RPC quantity. */
export function toQuantity(value: number): Hex {
  return `0x${value.toString(16)}`
}

/** Parses a JSON-RPC quantity below 2^52; null for anything else. */
export function parseQuantity(value: unknown): number | null {
  return typeof value === 'string' && QUANTITY.test(value) ? Number(value) : null
}

/** Parses a body as JSON; undefined if it is not. */
export function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

const MAX_MESSAGE = 1000
/** Values of an error's data that are read, and how deep they may lie. */
const MAX_VALUES = 20
const MAX_DEPTH = 3

/** Returns the texts and numbers in the data of an error, which may be of any form. */
function listWords(data: unknown, depth = MAX_DEPTH): string[] {
  if (typeof data === 'string') return [data.slice(0, MAX_MESSAGE)]
  if (typeof data === 'number') return [String(data)]
  if (typeof data !== 'object' || data === null || depth === 0) return []
  const values = Object.values(data).slice(0, MAX_VALUES)
  return values.flatMap((value) => listWords(value, depth - 1)).slice(0, MAX_VALUES)
}

/**
 * Returns the fault in a reply, or null if it holds a result. A body that is not a JSON object is a fault.
 * @param retryAfterMs that of the reply
 */
export function readFault(
  status: number,
  answer: unknown,
  retryAfterMs: number | null = null,
): RpcFault | null {
  const reply = asObject(answer)
  const waitMs = retryAfterMs ?? 0
  const bare = { status, code: null, message: `HTTP ${status}`, data: [], waitMs }
  if (reply === undefined) return bare
  if (typeof reply.error === 'string') return { ...bare, message: reply.error.slice(0, MAX_MESSAGE) }
  const error = asObject(reply.error)
  if (error === undefined) return 'result' in reply && status < 400 ? null : bare
  const code = typeof error.code === 'number' ? error.code : null
  const text = typeof error.message === 'string' ? error.message : ''
  const data = listWords(error.data)
  const message = [text, ...data].filter(Boolean).join(' ').slice(0, MAX_MESSAGE)
  return { status, code, message, data, waitMs }
}

/** Reads a block reference from a block object. @throws ChainError `bad_answer` */
export function readBlock(value: unknown): BlockRef {
  const { number, hash, timestamp } = asObject(value) ?? {}
  const height = parseQuantity(number)
  const time = parseQuantity(timestamp)
  if (height === null || time === null || typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash))
    throw new ChainError('bad_answer', 'An RPC answered with an invalid block')
  return { number: height, hash: hash.toLowerCase() as Hex, time }
}
