/** Number of blocks per query that was found by halving, since the refusals did not state any. */
export type HalvedSize = {
  blocks: number
  /** Successes in a row at this size. */
  successes: number
  /** Successes after which the size doubles. */
  needed: number
  /** Whether the last change was a doubling. */
  isDoubled: boolean
}

const FIRST_NEEDED = 4
/** A doubling that was refused is tried again after this many times as many successes. */
const PATIENCE = 4
const MAX_NEEDED = 1024

/** Creates a size without a limit. */
export function createHalvedSize(): HalvedSize {
  return {
    blocks: Number.POSITIVE_INFINITY,
    successes: 0,
    needed: FIRST_NEEDED,
    isDoubled: false,
  }
}

/** Notes that a query of this many blocks was refused or took too long. */
export function halveSize(size: HalvedSize, blocks: number): void {
  // Concurrent queries of one size are refused together.
  if (blocks > size.blocks) return
  if (size.isDoubled) size.needed = Math.min(MAX_NEEDED, size.needed * PATIENCE)
  size.blocks = Math.max(1, Math.floor(blocks / 2))
  size.successes = 0
  size.isDoubled = false
}

/** Notes that a query of this many blocks was answered. */
export function growSize(size: HalvedSize, blocks: number): void {
  if (blocks < size.blocks || ++size.successes < size.needed) return
  // The last doubling has held.
  if (size.isDoubled) size.needed = Math.max(FIRST_NEEDED, size.needed / 2)
  size.blocks *= 2
  size.successes = 0
  size.isDoubled = true
}
