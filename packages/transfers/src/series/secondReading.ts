import type { AddressTable } from '../columns/addressTable.ts'
import { intersectRanges, unionRanges } from '../columns/ranges.ts'
import { joinSlices, type Slice, sliceRange } from '../columns/rowStore.ts'
import type { LogPart } from '../logs/fetchLogs.ts'
import type { BlockRange, TransferColumns } from '../types.ts'

/** The only reading so far of some finalized rows. */
export type FirstReading = {
  /** Unix time in ms. */
  readonly at: number
  /** Ordinal of the RPC; null if there were several, or it is not known. */
  readonly by: number | null
}

/** Finalized blocks that were read once. */
export type Unconfirmed = { readonly range: BlockRange; readonly first: FirstReading }

/** Blocks to read a second time. */
export type SecondReading = {
  readonly range: BlockRange
  /** RPC that read them first and may not confirm itself; null once it may. */
  readonly except: number | null
}

/** What a second reading says about the first one. */
export type Comparison = { readonly equal: readonly BlockRange[]; readonly unequal: readonly BlockRange[] }

/** Time after which the RPC that read some rows may confirm them itself: a node that was behind has caught up. */
const AGAIN_AFTER_MS = 60_000

/** Returns the second readings that are due: by another RPC at once, by any a minute later. */
export function planSecondReadings(
  unconfirmed: readonly Unconfirmed[],
  now: number,
  rpcs: number,
): SecondReading[] {
  const byReader = new Map<number | null, BlockRange[]>()
  for (const { range, first } of unconfirmed) {
    // The clock may have been set back since.
    const isLater = Math.abs(now - first.at) >= AGAIN_AFTER_MS
    if (!isLater && (rpcs < 2 || first.by === null)) continue
    const except = isLater ? null : first.by
    byReader.set(except, [...(byReader.get(except) ?? []), range])
  }
  return [...byReader].flatMap(([except, ranges]) => unionRanges(ranges).map((range) => ({ range, except })))
}

/**
 * Compares the rows that are held with a second reading of them, part by part.
 *
 * A node that is behind leaves out the newest rows, and may do so twice. If a later row is known, the reading goes up to
 * its block, and says nothing about the blocks after its own last row unless it returned that one.
 */
export function compareReadings(
  { range, except }: SecondReading,
  parts: readonly LogPart[],
  laterRow: number | null,
  heldIn: (range: BlockRange) => readonly Slice[],
  addresses: AddressTable,
): Comparison {
  const lastRow = Math.max(-1, ...parts.map(lastRowOf))
  const proved = laterRow === null || lastRow >= laterRow ? range.to : Math.min(range.to, lastRow)
  const equal: BlockRange[] = []
  const unequal: BlockRange[] = []
  for (const part of parts) {
    const shared = intersectRanges(part.range, { from: range.from, to: proved })
    if (shared === null || part.by === except) continue
    const held = joinSlices(heldIn(shared), addresses)
    const again = joinSlices([sliceRange(part.columns, shared)], addresses)
    const list = areEqual(held, again) ? equal : unequal
    list.push(shared)
  }
  return { equal: unionRanges(equal), unequal: unionRanges(unequal) }
}

const lastRowOf = ({ columns }: LogPart): number => columns.block[columns.count - 1] ?? -1

/** Compares rows whose addresses are ordinals of one table. */
function areEqual(one: TransferColumns, other: TransferColumns): boolean {
  if (one.count !== other.count) return false
  for (let row = 0; row < one.count; row++) {
    const isEqual =
      one.block[row] === other.block[row] &&
      one.logIndex[row] === other.logIndex[row] &&
      one.from[row] === other.from[row] &&
      one.to[row] === other.to[row] &&
      one.valueLow[row] === other.valueLow[row] &&
      one.valueHigh[row] === other.valueHigh[row] &&
      one.wideValues.get(row) === other.wideValues.get(row)
    if (!isEqual || !areTxsEqual(one, other, row)) return false
  }
  return true
}

const TX_WORDS = 8

function areTxsEqual(one: TransferColumns, other: TransferColumns, row: number): boolean {
  const [at, otherAt] = [(one.tx[row] ?? 0) * TX_WORDS, (other.tx[row] ?? 0) * TX_WORDS]
  for (let word = 0; word < TX_WORDS; word++)
    if (one.txWords[at + word] !== other.txWords[otherAt + word]) return false
  return true
}

/** Returns the first reading that parts are of, at this time. */
export function firstReadingOf(parts: readonly LogPart[], at: number): FirstReading {
  const readers = new Set(parts.map((part) => part.by))
  const [by = null] = readers
  return { at, by: readers.size === 1 ? by : null }
}

/** A reading of the newest blocks up to `to`. */
export type TailReading = FirstReading & { readonly to: number }

/** Returns the first reading that had all blocks up to `block`. */
export function firstReadingUpTo(readings: readonly TailReading[], block: number): FirstReading {
  const last = readings.findIndex(({ to }) => to >= block)
  const used = readings.slice(0, last + 1)
  const readers = new Set(used.map(({ by }) => by))
  const [by = null] = readers
  return { at: used.at(-1)?.at ?? 0, by: readers.size === 1 ? by : null }
}
