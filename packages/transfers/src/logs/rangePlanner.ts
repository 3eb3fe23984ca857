import { rangeSize } from '../columns/ranges.ts'
import { type Lesson, nextBlockCap } from '../rpc/learnedLimits.ts'
import type { Refusal } from '../rpc/refusal.ts'
import type { BlockRange } from '../types.ts'

/** Decides how much to ask for next. */
export type Pacer = {
  /** The first part of a gap that is worth asking for; never contains a range that was refused. */
  plan(gap: BlockRange): BlockRange
  /** `tailDensity` is in rows a block, near the end of the range. */
  succeeded(range: BlockRange, rows: number, tailDensity: number): void
  /** Returns false when the range cannot shrink any more. */
  refused(range: BlockRange, refusal: Extract<Refusal, { kind: 'blocks' | 'results' }>): boolean
}

/** Share of the results cap that a question aims at: falls with each refusal, recovers slowly. */
const FILL_START = 0.9
const FILL_MIN = 0.6
const FILL_MAX = 0.92
const FILL_LOSS = 0.97
const FILL_GAIN = 0.003
/** How much larger than the last range the next may be after a refusal that suggested nothing. */
const GROWTH = 4
/** Which part of a refused range is asked for next. */
const SHRINK = 0.5

/** Ratio from which two densities count as different. */
const UNLIKE = 1.5

/** Rows a block at the end of a range that was read. */
type Sample = { readonly to: number; readonly density: number }

const SAMPLES = 64

type Open = { readonly range: BlockRange; blocks: number; rows: number }

/**
 * Paces one read against one RPC.
 *
 * Asks for everything until told otherwise, then for as much as the density of what came last lets fit.
 * Whatever a provider suggests, a refused range is never asked for again, nor anything that holds it: every
 * refusal makes the next question smaller, so a read ends.
 */
export const createPacer = (lesson: Lesson): Pacer => {
  let density = 0
  let lastSize = 0
  let fill = FILL_START
  // By the block that they begin with: several questions may be under way.
  const suggestions = new Map<number, BlockRange>()
  const samples: Sample[] = []
  // Refused ranges not read in full yet.
  let open: Open[] = []

  /** Logs that an answer should hold at most. */
  const target = (): number => {
    const { maxResults, mostSeen, leastRefused } = lesson
    if (Number.isFinite(maxResults)) return maxResults * fill
    if (!Number.isFinite(leastRefused)) return Number.POSITIVE_INFINITY
    // Between what passed and what did not: search while they are far apart, then stay below.
    return leastRefused > mostSeen * 1.1 ? (mostSeen + leastRefused) / 2 : mostSeen * 0.97
  }

  const noteOpen = (range: BlockRange, rows: number) => {
    for (const refused of open) {
      const blocks = Math.min(range.to, refused.range.to) - Math.max(range.from, refused.range.from) + 1
      if (blocks <= 0) continue
      refused.blocks += blocks
      refused.rows += (rows * blocks) / rangeSize(range)
      if (refused.blocks < rangeSize(refused.range) || refused.rows <= lesson.mostSeen) continue
      lesson.leastRefused = Math.min(lesson.leastRefused, Math.ceil(refused.rows))
    }
    open = open.filter((refused) => refused.blocks < rangeSize(refused.range))
  }

  /** How much of `size` blocks from `from` may be asked for, given that `refused` was. */
  const sizeBeside = ({ range, rows }: Open, from: number, size: number): number => {
    if (from + size - 1 < range.to || range.to < from) return size
    const start = Math.max(range.from, from)
    // What is left of it holds at least this much, wherever it is.
    const left = Math.min(lesson.maxResults, Math.max(lesson.mostSeen, 1)) - rows
    const beyond = density * (from + size - 1 - range.to)
    if (start > range.from && left + beyond <= target()) return size
    return start - from + Math.max(1, Math.floor((range.to - start + 1) * SHRINK))
  }

  /** The density that is known closest ahead of a block; the latest one where none is. */
  const densityBefore = (block: number): number => {
    let nearest: Sample | null = null
    for (const sample of samples) if (sample.to < block && sample.to > (nearest?.to ?? -1)) nearest = sample
    return nearest?.density ?? density
  }

  return {
    plan(gap) {
      let size = Math.min(rangeSize(gap), nextBlockCap(lesson))
      const suggested = suggestions.get(gap.from)
      if (suggested !== undefined) size = Math.min(size, rangeSize(suggested))
      else {
        const expected = densityBefore(gap.from)
        if (expected > 0) size = Math.min(size, Math.max(1, Math.floor(target() / expected)))
        if (lastSize > 0 && !lesson.suggests) size = Math.min(size, lastSize * GROWTH)
      }
      if (suggested === undefined)
        for (const refused of open) size = Math.min(size, sizeBeside(refused, gap.from, size))
      return { from: gap.from, to: gap.from + Math.max(1, size) - 1 }
    },

    succeeded(range, rows, tailDensity) {
      const size = rangeSize(range)
      const suggested = suggestions.get(range.from)?.to === range.to
      // One block more than was suggested would have been too much: this is about the limit.
      if (suggested && (!Number.isFinite(lesson.maxResults) || rows > lesson.maxResults))
        lesson.maxResults = rows
      lesson.mostSeen = Math.max(lesson.mostSeen, rows)
      lesson.okBlocks = Math.max(lesson.okBlocks, size)
      // A taught limit that an answer has passed is no limit.
      if (rows > lesson.maxResults) lesson.maxResults = rows
      if (rows >= lesson.leastRefused) lesson.leastRefused = Number.POSITIVE_INFINITY
      if (size >= lesson.badBlocks) lesson.badBlocks = Number.POSITIVE_INFINITY
      // Where the end of the range is unlike the rest of it, something began or ended: follow the end.
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
        // A cap that the refused range keeps is a lie, or counts differently: then only the size is known to be bad.
        if (cap !== null && cap < size) lesson.maxBlocks = Math.max(1, cap)
        lesson.badBlocks = Math.min(lesson.badBlocks, size)
        if (lesson.okBlocks >= lesson.badBlocks) lesson.okBlocks = 0
        return true
      }
      open.push({ range, blocks: 0, rows: 0 })
      if (density > 0) fill = Math.max(FILL_MIN, fill * FILL_LOSS)
      if (refusal.max !== null && refusal.max > 0) lesson.maxResults = refusal.max
      lesson.suggests = suggestion !== null
      lastSize = suggestion === null ? Math.ceil((size * (density > 0 ? SHRINK : 1 / 16)) / GROWTH) : 0
      return true
    },
  }
}
