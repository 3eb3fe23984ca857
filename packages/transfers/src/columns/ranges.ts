import type { BlockRange } from '../types.ts'

/** Number of blocks in a range. */
export function rangeSize(range: BlockRange): number {
  return range.to - range.from + 1
}

/** Returns the blocks that two ranges share, or null. */
export function intersectRanges(a: BlockRange, b: BlockRange): BlockRange | null {
  const from = Math.max(a.from, b.from)
  const to = Math.min(a.to, b.to)
  return from <= to ? { from, to } : null
}

/** Merges ranges into ascending ones that neither overlap nor touch. Drops empty ones. */
export function unionRanges(ranges: readonly BlockRange[]): BlockRange[] {
  const sorted = ranges.filter((range) => range.from <= range.to).sort((a, b) => a.from - b.from)
  const merged: BlockRange[] = []
  for (const range of sorted) {
    const last = merged.at(-1)
    if (last === undefined || range.from > last.to + 1) merged.push(range)
    else if (range.to > last.to) merged[merged.length - 1] = { from: last.from, to: range.to }
  }
  return merged
}

/** Returns the parts of `whole` outside `covered`, ascending. */
export function subtractRanges(whole: BlockRange, covered: readonly BlockRange[]): BlockRange[] {
  const gaps: BlockRange[] = []
  let next = whole.from
  for (const range of unionRanges(covered)) {
    if (range.to < next) continue
    if (range.from > whole.to) break
    if (range.from > next) gaps.push({ from: next, to: range.from - 1 })
    next = range.to + 1
  }
  if (next <= whole.to) gaps.push({ from: next, to: whole.to })
  return gaps
}

/** Splits gaps into rounds of about equal size, newest first, so that a deadline cuts off the oldest blocks. */
export function newestFirstRounds(gaps: readonly BlockRange[], count: number): BlockRange[][] {
  const [first] = gaps
  const last = gaps.at(-1)
  if (first === undefined || last === undefined) return []
  const size = Math.max(1, Math.ceil((last.to - first.from + 1) / count))
  const rounds: BlockRange[][] = []
  for (let to = last.to; to >= first.from; to -= size) {
    const window = { from: Math.max(first.from, to - size + 1), to }
    rounds.push(gaps.map((gap) => intersectRanges(gap, window)).filter((gap) => gap !== null))
  }
  return rounds
}
