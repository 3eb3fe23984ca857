import type { Rpc } from '../../chain/listRpcs.ts'
import { messageOf } from '../../lib/errors.ts'

/** The newest block of an RPC. */
export type RpcHead = {
  readonly number: number
  /** Its time, and ours when it was read, in Unix ms. */
  readonly atMs: number
  readonly readAtMs: number
}

/** Last response of one RPC. */
export type RpcState = {
  /** Null if it has not told. */
  readonly chainId: number | null
  /** Null if it did not answer. */
  readonly head: RpcHead | null
  /** Why it did not answer. */
  readonly reason: string | null
}

/** Time for the answers, in ms. */
const ANSWER_MS = 5_000

/**
 * Asks one RPC for its newest block, without a fallback to another. Never rejects.
 * @param known its chain, which is not asked for then. @default null
 */
export async function readRpc(rpc: Rpc, now: () => number, known: number | null = null): Promise<RpcState> {
  let chainId = known
  try {
    const read = { deadlineAt: Date.now() + ANSWER_MS }
    chainId ??= toNumber(await rpc.call('eth_chainId', [], read))
    const block = await rpc.call('eth_getBlockByNumber', ['latest', false], read)
    const { number, timestamp } = Object(block) as { number?: unknown; timestamp?: unknown }
    const head = { number: toNumber(number), atMs: toNumber(timestamp) * 1000, readAtMs: now() }
    return { chainId, head, reason: null }
  } catch (error) {
    return { chainId, head: null, reason: messageOf(error) }
  }
}

function toNumber(value: unknown): number {
  if (typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value)) return Number(value)
  throw new Error('its answer is not a number')
}
