import type { AddressTable } from '../columns/addressTable.ts'
import type { EndBlock } from '../columns/columnBuilder.ts'
import { firstRowAt, joinSlices, sliceRange } from '../columns/columnSlices.ts'
import type { LogPart } from '../logs/fetchLogs.ts'
import type { BlockRange, Heads, Hex, TransferColumns } from '../types.ts'

/** The rows above the finalized head, as they were seen last. */
export type Tail = {
  readonly range: BlockRange
  readonly columns: TransferColumns
  /** The newest row's block: when it is still there, so is all below it. */
  readonly checkpoint: EndBlock | null
}

/** From where the tail has to be read again: its checkpoint, whose rows must come back the same. */
export const rereadFrom = (tail: Tail): number => tail.checkpoint?.number ?? tail.range.from

/**
 * The tail after new parts were read from `rereadFrom(tail)` on, or null when a reorganisation has replaced
 * what was held.
 */
export const extendTail = (tail: Tail, parts: readonly LogPart[], addresses: AddressTable): Tail | null => {
  const { checkpoint } = tail
  const fresh = tailOf(parts, addresses)
  if (fresh === null) return null
  if (checkpoint === null) return { ...fresh, range: { from: tail.range.from, to: fresh.range.to } }
  const first = parts.find((part) => part.columns.count > 0)?.ends.first
  const rowsThen = tail.columns.count - firstRowAt(tail.columns, checkpoint.number)
  const rowsNow = firstRowAt(fresh.columns, checkpoint.number + 1)
  if (first?.hash !== checkpoint.hash || first.number !== checkpoint.number || rowsNow !== rowsThen)
    return null
  const below = sliceRange(tail.columns, { from: tail.range.from, to: checkpoint.number - 1 })
  const range = { from: tail.range.from, to: fresh.range.to }
  return {
    range,
    columns: joinSlices([below, sliceRange(fresh.columns, fresh.range)], addresses),
    checkpoint: fresh.checkpoint,
  }
}

/** A tail of parts that follow one another; null when there is none. */
export const tailOf = (parts: readonly LogPart[], addresses: AddressTable): Tail | null => {
  const first = parts[0]
  const last = parts.at(-1)
  if (first === undefined || last === undefined) return null
  const slices = parts.map(({ columns, range }) => sliceRange(columns, range))
  return {
    range: { from: first.range.from, to: last.range.to },
    columns: joinSlices(slices, addresses),
    checkpoint: parts.findLast((part) => part.columns.count > 0)?.ends.last ?? null,
  }
}

/** The part of a tail above a block; null when nothing of it is. */
export const tailAbove = (tail: Tail, block: number, addresses: AddressTable): Tail | null => {
  if (tail.range.to <= block) return null
  if (tail.range.from > block) return tail
  const range = { from: block + 1, to: tail.range.to }
  const keeps = tail.checkpoint !== null && tail.checkpoint.number > block
  return {
    range,
    columns: joinSlices([sliceRange(tail.columns, range)], addresses),
    checkpoint: keeps ? tail.checkpoint : null,
  }
}

/**
 * What the rows say about the head that was seen before they were read: `same` or `replaced` when the newest row
 * is in that block, `silent` otherwise. Rows that came in several answers may mix two branches: `silent` too.
 */
export const checkHead = (
  tail: Tail,
  parts: readonly LogPart[],
  heads: Heads,
): 'same' | 'replaced' | 'silent' => {
  const { checkpoint } = tail
  if (checkpoint === null || checkpoint.number !== heads.latest.number) return 'silent'
  const expected: Hex = heads.latest.hash
  if (checkpoint.hash !== expected) return 'replaced'
  return parts.length > 1 ? 'silent' : 'same'
}
