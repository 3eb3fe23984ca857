import { ChainError } from '../chainError.ts'
import type { BlockRef, Heads, ReadOptions } from '../types.ts'
import type { Pace } from './blockClock.ts'
import { readBlock } from './rpcEndpoint.ts'
import type { RpcPool } from './rpcPool.ts'

/** Blocks by number and by time. */
export type BlockReader = {
  block(number: number, options?: ReadOptions): Promise<BlockRef>
  atOrBefore(time: number, heads: Heads, options?: ReadOptions): Promise<BlockRef>
  firstAfter(time: number, heads: Heads, options?: ReadOptions): Promise<Pick<BlockRef, 'number' | 'time'>>
  times(blocks: readonly number[], options?: ReadOptions): Promise<ReadonlyMap<number, number>>
}

const REMEMBERED = 4096
/** By then interpolation has failed: halving ends any search. */
const GUESSES = 24

/** Creates a block reader. Finalized blocks are remembered, others are asked for again. */
export const createBlockReader = (pool: RpcPool, pace: Pace, lastHeads: () => Heads | null): BlockReader => {
  const known = new Map<number, BlockRef>()
  const block = async (number: number, read?: ReadOptions): Promise<BlockRef> => {
    const held = known.get(number)
    if (held !== undefined) return held
    const answer = await pool.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, false], read)
    if (answer === null) throw new ChainError('not_there_yet', `An RPC does not know block ${number}`)
    const found = readBlock(answer)
    if (found.number !== number)
      throw new ChainError('bad_answer', `An RPC answered block ${found.number} for ${number}`)
    if (number <= (lastHeads()?.finalized.number ?? -1)) {
      if (known.size >= REMEMBERED) known.delete(known.keys().next().value ?? number)
      known.set(number, found)
    }
    return found
  }
  const atOrBefore: BlockReader['atOrBefore'] = async (time, { latest, finalized }, read) => {
    if (latest.time <= time) return latest
    let high = latest
    let low = finalized.time <= time ? finalized : await block(0, read)
    if (low !== finalized && finalized.number > 0) high = finalized
    for (let guess = 0; low.time <= time && high.number - low.number > 1; guess++) {
      // Blocks come evenly: from the nearer end by its pace, but never out of the open interval.
      const share = guess < GUESSES ? (time - low.time) / Math.max(1, high.time - low.time) : 0.5
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
      await pace.verify(heads, (number) => block(number, read))
      const known = pace.firstAfter(time, heads.latest)
      if (known !== null) return known
      const before = await atOrBefore(time, heads, read)
      if (before.time > time || before.number === heads.latest.number) return before
      return block(before.number + 1, read)
    },
    async times(blocks, read) {
      const latest = lastHeads()?.latest
      const timeOf = async (number: number): Promise<[number, number]> => {
        const known = latest === undefined ? null : pace.timeAt(number, latest)
        return [number, known ?? (await block(number, read)).time]
      }
      return new Map(await Promise.all([...new Set(blocks)].map(timeOf)))
    },
  }
}
