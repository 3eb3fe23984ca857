import { rangeSize } from '../columns/ranges.ts'
import { createHalvedSize, growSize, type HalvedSize, halveSize } from '../rpc/halvedSize.ts'
import { type LearnedLimits, nextBlockCap } from '../rpc/learnedLimits.ts'
import type { SizeRefusal } from '../rpc/refusal.ts'
import type { BlockRange } from '../types.ts'

/** Chooses the range of the next query. */
export type RangePlanner = {
  /** Returns the first part of a gap to query. It never contains a refused range. */
  plan(gap: BlockRange): BlockRange
  /** Records a success. `tailDensity` is in rows per block, near the end of the range. */
  succeeded(range: BlockRange, rows: number, tailDensity: number): void
  /** Records a refusal. Returns false if the range cannot shrink any more, or was halved too often without success. */
  refused(range: BlockRange, refusal: SizeRefusal): boolean
}

/** Share of the result cap that a query aims at. It falls with each refusal and recovers slowly. */
const FILL_START = 0.9
const FILL_MIN = 0.6
const FILL_MAX = 0.92
const FILL_LOSS = 0.97
const FILL_GAIN = 0.003
/** Maximum growth from one range to the next after a refusal without a suggestion. */
const GROWTH = 4
/** Share of a refused range to query next. */
const SHRINK = 0.5

/** Ratio at which two densities count as different. */
const UNLIKE = 1.5

/** Rows per block at the end of a range that was read. */
type Sample = { readonly to: number; readonly density: number }

const SAMPLES = 64

/**
 * Halvings of one read because of refusals that are not understood: more, and the refusals were not about the size.
 * So many successes earn one back.
 */
const MAX_HALVINGS = 12
const SUCCESSES_PER_HALVING = 16

type Open = { readonly range: BlockRange; blocks: number; rows: number }

/**
 * Creates the planner of one read against one RPC.
 *
 * It queries everything until refused, then as many blocks as should fit at the latest density. It never queries a
 * range that contains a refused one, even if the provider suggests it: each refusal makes the next query
 * smaller, so every read ends.
 *
 * @param halved size that queries of this kind were halved to. @default no limit
 */
export function createRangePlanner(
  limits: LearnedLimits,
  halved: HalvedSize = createHalvedSize(),
): RangePlanner {
  let halvings = 0
  let sizeBefore = halved.blocks
  let density = 0
  let lastSize = 0
  let fill = FILL_START
  // By first block: several queries may be in flight.
  const suggestions = new Map<number, BlockRange>()
  const samples: Sample[] = []
  // Refused ranges that are not fully read yet.
  let open: Open[] = []

  /** Maximum number of logs to aim for. */
  const target = (): number => {
    const { maxResults, mostSeen, leastRefused } = limits
    if (Number.isFinite(maxResults)) return maxResults * fill
    if (!Number.isFinite(leastRefused)) return Number.POSITIVE_INFINITY
    // Bisects between success and refusal while they are far apart, then stays below.
    return leastRefused > mostSeen * 1.1 ? (mostSeen + leastRefused) / 2 : mostSeen * 0.97
  }

  const noteOpen = (range: BlockRange, rows: number) => {
    for (const refused of open) {
      const blocks = Math.min(range.to, refused.range.to) - Math.max(range.from, refused.range.from) + 1
      if (blocks <= 0) continue
      refused.blocks += blocks
      refused.rows += (rows * blocks) / rangeSize(range)
      if (refused.blocks < rangeSize(refused.range) || refused.rows <= limits.mostSeen) continue
      limits.leastRefused = Math.min(limits.leastRefused, Math.ceil(refused.rows))
    }
    open = open.filter((refused) => refused.blocks < rangeSize(refused.range))
  }

  /** Limits a query of `size` blocks from `from` so that it does not contain a refused range. */
  const sizeBeside = ({ range, rows }: Open, from: number, size: number): number => {
    if (from + size - 1 < range.to || range.to < from) return size
    const start = Math.max(range.from, from)
    // The unread part of the refused range holds at least this many rows.
    const left = Math.min(limits.maxResults, Math.max(limits.mostSeen, 1)) - rows
    const beyond = density * (from + size - 1 - range.to)
    if (start > range.from && left + beyond <= target()) return size
    return start - from + Math.max(1, Math.floor((range.to - start + 1) * SHRINK))
  }

  /** Density of the nearest sample before a block, or the latest density. */
  const densityBefore = (block: number): number => {
    let nearest: Sample | null = null
    for (const sample of samples) if (sample.to < block && sample.to > (nearest?.to ?? -1)) nearest = sample
    return nearest?.density ?? density
  }

  return {
    plan(gap) {
      let size = Math.min(rangeSize(gap), nextBlockCap(limits), halved.blocks)
      const suggested = suggestions.get(gap.from)
      if (suggested !== undefined) size = Math.min(size, rangeSize(suggested))
      else {
        const expected = densityBefore(gap.from)
        if (expected > 0) size = Math.min(size, Math.max(1, Math.floor(target() / expected)))
        if (lastSize > 0 && !limits.suggests) size = Math.min(size, lastSize * GROWTH)
      }
      if (suggested === undefined)
        for (const refused of open) size = Math.min(size, sizeBeside(refused, gap.from, size))
      return { from: gap.from, to: gap.from + Math.max(1, size) - 1 }
    },

    succeeded(range, rows, tailDensity) {
      const size = rangeSize(range)
      growSize(halved, size)
      halvings = Math.max(0, halvings - 1 / SUCCESSES_PER_HALVING)
      sizeBefore = halved.blocks
      const suggested = suggestions.get(range.from)?.to === range.to
      // The suggested range is the largest that fits, so its rows are close to the limit.
      if (suggested && (!Number.isFinite(limits.maxResults) || rows > limits.maxResults))
        limits.maxResults = rows
      limits.mostSeen = Math.max(limits.mostSeen, rows)
      limits.okBlocks = Math.max(limits.okBlocks, size)
      // A reply above a limit disproves it.
      if (rows > limits.maxResults) limits.maxResults = rows
      if (rows >= limits.leastRefused) limits.leastRefused = Number.POSITIVE_INFINITY
      if (size >= limits.badBlocks) limits.badBlocks = Number.POSITIVE_INFINITY
      // If the end of the range is unlike the rest, a burst began or ended: follow the end.
      const even = rows / size
      const steady = tailDensity < even * UNLIKE && tailDensity > even / UNLIKE
      density = !steady
        ? tailDensity
        : even > density / UNLIKE && even < density * UNLIKE
          ? density * 0.7 + even * 0.3
          : even
      if (lastSize > 0) lastSize = size
      fill = Math.min(FILL_MAX, fill + FILL_GAIN)
      samples.push({ to: range.to, density })
      if (samples.length > SAMPLES) samples.shift()
      suggestions.delete(range.from)
      noteOpen(range, rows)
    },

    refused(range, refusal) {
      const size = rangeSize(range)
      const { suggested } = refusal
      suggestions.delete(range.from)
      if (refusal.kind === 'unclear') {
        if (halvings + 1 > MAX_HALVINGS || size <= 1) {
          // Other reads begin with the size of before: it was not the cause, which may pass.
          halved.blocks = sizeBefore
          halvings = Number.POSITIVE_INFINITY
          return false
        }
        halvings++
        halveSize(halved, size)
        return true
      }
      if (size <= 1) return false
      let suggestion: BlockRange | null = null
      if (
        suggested !== null &&
        suggested.from === range.from &&
        suggested.to >= range.from &&
        suggested.to < range.to
      )
        suggestion = suggested
      if (suggestion !== null) suggestions.set(range.from, suggestion)
      if (refusal.kind === 'blocks') {
        const cap = refusal.max ?? (suggestion === null ? null : rangeSize(suggestion))
        // A cap that the refused range meets is wrong: only the size is known to be bad.
        if (cap !== null && cap < size) limits.maxBlocks = Math.max(1, cap)
        limits.badBlocks = Math.min(limits.badBlocks, size)
        if (limits.okBlocks >= limits.badBlocks) limits.okBlocks = 0
        return true
      }
      open.push({ range, blocks: 0, rows: 0 })
      if (density > 0) fill = Math.max(FILL_MIN, fill * FILL_LOSS)
      if (refusal.max !== null && refusal.max > 0) limits.maxResults = refusal.max
      limits.suggests = suggestion !== null
      lastSize = suggestion === null ? Math.ceil((size * (density > 0 ? SHRINK : 1 / 16)) / GROWTH) : 0
      return true
    },
  }
}
