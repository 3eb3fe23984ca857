import type { BlockRef, Heads } from '../types.ts'

/** Block times by arithmetic, on chains whose protocol fixes the seconds between blocks. */
export type Pace = {
  /** Seconds of a block between the verified anchor and the given head, or null when that is not known. */
  timeAt(block: number, latest: BlockRef): number | null
  /** The first block later than `time`, or null when it lies before the anchor. */
  firstAfter(time: number, latest: BlockRef): { number: number; time: number } | null
  /** Verifies the pace over the blocks before `finalized`, once for as long as it holds. */
  verify(heads: Heads, block: (number: number) => Promise<BlockRef>): Promise<void>
}

/** Blocks before the finalized head over which the pace is verified: a day and more of 2-second blocks. */
const SPAN = 100_000

/** Seconds between blocks, by chain id. Source: the OP Stack derives each L2 timestamp as its parent's plus the block time, 2 s on Base. */
const BLOCK_SECONDS: Readonly<Record<number, number>> = { 8453: 2, 84532: 2 }

/** The pace of a chain; on chains without a fixed one it never knows. */
export const createPace = (chainId: number): Pace => {
  const seconds = BLOCK_SECONDS[chainId] ?? null
  let anchor: BlockRef | null = null
  let failed = false
  // A local chain may borrow the id and mine as it likes: the ends must fit exactly.
  const keeps = (from: BlockRef, to: BlockRef) =>
    seconds !== null && to.time - from.time === (to.number - from.number) * seconds
  return {
    timeAt(block, latest) {
      if (seconds === null || anchor === null || block < anchor.number || !keeps(anchor, latest)) return null
      return latest.time - (latest.number - block) * seconds
    },
    firstAfter(time, latest) {
      if (seconds === null || anchor === null || time < anchor.time || !keeps(anchor, latest)) return null
      const later = Math.max(0, Math.floor((latest.time - time - 1) / seconds))
      return { number: latest.number - later, time: latest.time - later * seconds }
    },
    async verify({ finalized, latest }, block) {
      if (seconds === null || failed || (anchor !== null && keeps(anchor, latest))) return
      const from = finalized.number - SPAN
      if (from <= 0) return
      const [first, middle] = await Promise.all([block(from), block(from + SPAN / 2)])
      failed = !keeps(first, middle) || !keeps(middle, finalized) || !keeps(finalized, latest)
      anchor = failed ? null : first
    },
  }
}
