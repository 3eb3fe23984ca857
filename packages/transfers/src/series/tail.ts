import type { AddressTable } from '../columns/addressTable.ts'
import type { EndBlock } from '../columns/columnBuilder.ts'
import { firstRowAt, joinSlices, sliceRange } from '../columns/rowStore.ts'
import type { LogPart } from '../logs/fetchLogs.ts'
import type { BlockRange, Heads, TransferColumns } from '../types.ts'
import { firstReadingOf, type TailReading } from './secondReading.ts'

/** Rows above the finalized head, as last read. */
export type Tail = {
  readonly range: BlockRange
  readonly columns: TransferColumns
  /** Block of the newest row. If it is unchanged, so is everything below it. */
  readonly checkpoint: EndBlock | null
  /** The readings that it was extended by, in order. */
  readonly readings: readonly TailReading[]
}

/** Returns the block from which the tail must be read again: its checkpoint, whose rows must come back unchanged. */
export function rereadFrom(tail: Tail): number {
  return tail.checkpoint?.number ?? tail.range.from
}

/** Extends a tail by parts read from `rereadFrom(tail)` on. Returns null if a reorganisation replaced its rows. */
export function extendTail(
  tail: Tail,
  parts: readonly LogPart[],
  addresses: AddressTable,
  now: number,
): Tail | null {
  const { checkpoint } = tail
  const fresh = tailOf(parts, addresses, now)
  if (fresh === null) return null
  const isLonger = fresh.range.to > tail.range.to
  const readings = isLonger ? [...tail.readings, ...fresh.readings] : tail.readings
  const range = { from: tail.range.from, to: fresh.range.to }
  if (checkpoint === null) return { ...fresh, range, readings }
  const first = parts.find((part) => part.columns.count > 0)?.ends.first
  const rowsThen = tail.columns.count - firstRowAt(tail.columns, checkpoint.number)
  const rowsNow = firstRowAt(fresh.columns, checkpoint.number + 1)
  if (first?.hash !== checkpoint.hash || first.number !== checkpoint.number || rowsNow !== rowsThen)
    return null
  const below = sliceRange(tail.columns, { from: tail.range.from, to: checkpoint.number - 1 })
  const columns = joinSlices([below, sliceRange(fresh.columns, fresh.range)], addresses)
  return {
    range,
    columns,
    checkpoint: fresh.checkpoint,
    readings,
  }
}

/** Creates a tail from consecutive parts; null if there are none. */
export function tailOf(parts: readonly LogPart[], addresses: AddressTable, now: number): Tail | null {
  const first = parts[0]
  const last = parts.at(-1)
  if (first === undefined || last === undefined) return null
  const slices = parts.map(({ columns, range }) => sliceRange(columns, range))
  return {
    range: { from: first.range.from, to: last.range.to },
    columns: joinSlices(slices, addresses),
    checkpoint: parts.findLast((part) => part.columns.count > 0)?.ends.last ?? null,
    readings: [{ ...firstReadingOf(parts, now), to: last.range.to }],
  }
}

/** Returns the part of a tail above a block; null if there is none. */
export function tailAbove(tail: Tail, block: number, addresses: AddressTable): Tail | null {
  if (tail.range.to <= block) return null
  if (tail.range.from > block) return tail
  const range = { from: block + 1, to: tail.range.to }
  const { checkpoint, readings } = tail
  return {
    range,
    readings: readings.filter(({ to }) => to > block),
    columns: joinSlices([sliceRange(tail.columns, range)], addresses),
    checkpoint: checkpoint !== null && checkpoint.number > block ? checkpoint : null,
  }
}

/**
 * Compares the rows with the head that was read before them: `same` or `replaced` if the newest row is in that block,
 * otherwise `silent`. Rows from several replies may mix two branches, which is `silent` as well.
 */
export function checkHead(
  { checkpoint }: Tail,
  parts: readonly LogPart[],
  { latest }: Heads,
): 'same' | 'replaced' | 'silent' {
  if (checkpoint === null || checkpoint.number !== latest.number) return 'silent'
  if (checkpoint.hash !== latest.hash) return 'replaced'
  return parts.length > 1 ? 'silent' : 'same'
}
