import { asObject } from '@touchstone402/shared'
import { ChainError } from '../chainError.ts'
import type { BlockRef, Hex } from '../types.ts'

/** Error that an RPC answered with, in its own words. The message is cut to 1,000 characters. */
export type RpcFault = { readonly status: number; readonly code: number | null; readonly message: string }

/** One RPC failed this request; the pool tries the next. `waitMs` is its requested back-off. */
export class RpcFailure extends ChainError {
  readonly waitMs: number

  constructor(message: string, waitMs: number, cause?: unknown) {
    super('unreachable', message, { cause })
    this.waitMs = waitMs
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

/** Returns the fault in a reply, or null if it holds a result. A body that is not a JSON object is a fault. */
export function readFault(status: number, answer: unknown): RpcFault | null {
  const reply = asObject(answer)
  const bare = { status, code: null, message: `HTTP ${status}` }
  if (reply === undefined) return bare
  if (typeof reply.error === 'string') return { ...bare, message: reply.error.slice(0, 1000) }
  const error = asObject(reply.error)
  if (error === undefined) return 'result' in reply && status < 400 ? null : bare
  const data = typeof error.data === 'string' ? ` ${error.data}` : ''
  const code = typeof error.code === 'number' ? error.code : null
  const text = typeof error.message === 'string' ? error.message : ''
  return { status, code, message: `${text}${data}`.slice(0, 1000) }
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
