import { ChainError } from '../chainError.ts'
import type { BlockRef, Heads, ReadOptions } from '../types.ts'
import type { BlockClock } from './blockClock.ts'
import type { RpcPool } from './rpcPool.ts'
import { readBlock, toQuantity } from './rpcReply.ts'

/** Looks up blocks by number and by time. */
export type BlockReader = {
  block(number: number, options?: ReadOptions): Promise<BlockRef>
  atOrBefore(time: number, heads: Heads, options?: ReadOptions): Promise<BlockRef>
  firstAfter(time: number, heads: Heads, options?: ReadOptions): Promise<Pick<BlockRef, 'number' | 'time'>>
  times(blocks: readonly number[], options?: ReadOptions): Promise<ReadonlyMap<number, number>>
}

const MAX_CACHED = 4096
/** Interpolation steps before a search falls back to bisection. */
const MAX_GUESSES = 6

function isUnlimited({ signal, deadlineAt, allowance }: ReadOptions = {}): boolean {
  return signal === undefined && deadlineAt === undefined && allowance === undefined
}

/** Creates a block reader. It caches finalized blocks only. */
export function createBlockReader(
  pool: RpcPool,
  clock: BlockClock,
  lastHeads: () => Heads | null,
): BlockReader {
  const cached = new Map<number, BlockRef>()

  const ask = async (number: number, read?: ReadOptions): Promise<BlockRef> => {
    const answer = await pool.call('eth_getBlockByNumber', [toQuantity(number), false], read)
    if (answer === null) throw new ChainError('not_there_yet', `An RPC does not know block ${number}`)
    const found = readBlock(answer)
    if (found.number !== number)
      throw new ChainError('bad_answer', `An RPC returned block ${found.number} for ${number}`)
    if (number <= (lastHeads()?.finalized.number ?? -1)) {
      if (cached.size >= MAX_CACHED) cached.delete(cached.keys().next().value ?? number)
      cached.set(number, found)
    }
    return found
  }
  const asked = new Map<number, Promise<BlockRef>>()
  const block = async (number: number, read?: ReadOptions): Promise<BlockRef> => {
    const hit = cached.get(number)
    if (hit !== undefined) return hit
    // Several readers ask for one block at once. A block that is not final may be replaced between their questions, and
    // limits of one reader do not end the question of another.
    const isShared = number <= (lastHeads()?.finalized.number ?? -1) && isUnlimited(read)
    if (!isShared) return ask(number, read)
    const shared = asked.get(number) ?? ask(number, read).finally(() => asked.delete(number))
    asked.set(number, shared)
    return shared
  }

  const atOrBefore: BlockReader['atOrBefore'] = async (time, { latest, finalized }, read) => {
    if (latest.time <= time) return latest
    let high = latest
    let low = finalized.time <= time ? finalized : await block(0, read)
    if (low !== finalized && finalized.number > 0) high = finalized
    for (let guess = 0; low.time <= time && high.number - low.number > 1; guess++) {
      // Block times are nearly even: interpolate, but stay inside the open interval.
      const share = guess < MAX_GUESSES ? (time - low.time) / Math.max(1, high.time - low.time) : 0.5
      const middle = low.number + Math.round(share * (high.number - low.number))
      const found = await block(Math.min(high.number - 1, Math.max(low.number + 1, middle)), read)
      if (found.time <= time) low = found
      else high = found
    }
    return low
  }

  return {
    block,
    atOrBefore,
    async firstAfter(time, heads, read) {
      await clock.verify(heads, (number) => block(number, read))
      const computed = clock.firstAfter(time, heads.latest)
      if (computed !== null) return computed
      const before = await atOrBefore(time, heads, read)
      if (before.time > time || before.number === heads.latest.number) return before
      return block(before.number + 1, read)
    },
    async times(blocks, read) {
      const latest = lastHeads()?.latest
      const timeOf = async (number: number): Promise<[number, number]> => {
        const computed = latest === undefined ? null : clock.timeAt(number, latest)
        return [number, computed ?? (await block(number, read)).time]
      }
      return new Map(await Promise.all([...new Set(blocks)].map(timeOf)))
    },
  }
}
