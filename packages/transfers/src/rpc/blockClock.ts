import type { BlockRef, Heads } from '../types.ts'

/** Computes block times without requests, on chains whose protocol fixes the block time. */
export type BlockClock = {
  /** Timestamp of a block between the verified anchor and the given head; null if it is not known. */
  timeAt(block: number, latest: BlockRef): number | null
  /** The first block later than `time`; null if it lies before the anchor. */
  firstAfter(time: number, latest: BlockRef): { number: number; time: number } | null
  /** Verifies the block time over the blocks before `finalized`, once per anchor. */
  verify(heads: Heads, block: (number: number) => Promise<BlockRef>): Promise<void>
}

/** Blocks before the finalized head over which the block time is verified: 100 days of 2-second blocks. */
const SPAN = 4_320_000

/**
 * Seconds between blocks, by chain id.
 * Source: the OP Stack derives each L2 timestamp as its parent's plus the block time, 2 s on Base.
 */
const BLOCK_SECONDS: Readonly<Record<number, number>> = { 8453: 2, 84532: 2 }

/** Creates the clock of a chain. It returns null for everything on a chain without a fixed block time. */
export function createBlockClock(chainId: number): BlockClock {
  const seconds = BLOCK_SECONDS[chainId] ?? null
  let anchor: BlockRef | null = null
  let failed = false
  // A local chain may reuse the chain id with other block times: both ends must match exactly.
  const isSteady = (from: BlockRef, to: BlockRef) =>
    seconds !== null && to.time - from.time === (to.number - from.number) * seconds
  return {
    timeAt(block, latest) {
      if (seconds === null || anchor === null || block < anchor.number || !isSteady(anchor, latest))
        return null
      return latest.time - (latest.number - block) * seconds
    },
    firstAfter(time, latest) {
      if (seconds === null || anchor === null || time < anchor.time || !isSteady(anchor, latest)) return null
      const later = Math.max(0, Math.floor((latest.time - time - 1) / seconds))
      return { number: latest.number - later, time: latest.time - later * seconds }
    },
    async verify({ finalized, latest }, block) {
      if (seconds === null || failed || (anchor !== null && isSteady(anchor, latest))) return
      const from = finalized.number - SPAN
      if (from <= 0) return
      const [first, middle] = await Promise.all([block(from), block(from + SPAN / 2)])
      failed = !isSteady(first, middle) || !isSteady(middle, finalized) || !isSteady(finalized, latest)
      anchor = failed ? null : first
    },
  }
}
