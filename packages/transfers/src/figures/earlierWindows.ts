import { createAddressTable } from '../columns/addressTable.ts'
import { createColumnBuilder } from '../columns/columnBuilder.ts'
import type { Address, Heads, ReadOptions, TransferColumns, TransferSource } from '../types.ts'

/** The current window. Earlier ones end where the one after them starts, and take the same time. */
export type CurrentWindow = {
  readonly token: Address
  readonly fromBlock: number
  /** Unix time in seconds that the window begins after. */
  readonly startsAt: number
  readonly seconds: number
  readonly heads: Heads
}

/** The window before the current one. Times are of its first and last block; null if it has no block. */
export type PreviousWindow = {
  readonly fromBlock: number
  readonly toBlock: number
  /** Unix time in seconds. */
  readonly fromTime: number | null
  /** Unix time in seconds. */
  readonly toTime: number | null
  /** Whether the chain reaches back to its start, and all of it was read. */
  readonly complete: boolean
  readonly columns: TransferColumns
}

const TRAILING_WINDOWS = 12
/** Transfers of all trailing windows together, by the number of the previous one: they are in memory at once. */
const TRAILING_ROWS = 4_000_000
const noTransfers = (): TransferColumns => createColumnBuilder(createAddressTable(0)).finish()

/** Reads the window before the current one. */
export async function readPrevious(
  source: TransferSource,
  { token, fromBlock, startsAt, seconds, heads }: CurrentWindow,
  options: ReadOptions & { readonly partial?: boolean | undefined },
): Promise<PreviousWindow> {
  const { signal, deadlineAt, allowance, partial } = options
  const read = { signal, deadlineAt, allowance }
  // A partial answer may have used up its time and requests, and still needs to say what it compares with.
  const start = await source.firstBlockAfter(startsAt - seconds, heads, partial ? { signal } : read)
  const range = { fromBlock: start.number, toBlock: fromBlock - 1 }
  // The chain began during this window or after it.
  const isCut = start.number === 0
  if (range.toBlock < range.fromBlock)
    return { ...range, fromTime: null, toTime: null, complete: !isCut, columns: noTransfers() }
  const [{ columns, coverage }, times] = await Promise.all([
    source.transfers({ token, ...range, heads, ...read, partial }),
    // No deadline: a partial answer has used up its time, and its window still needs dates.
    source.blockTimes([range.toBlock], { signal }),
  ])
  const toTime = times.get(range.toBlock) ?? null
  return { ...range, fromTime: start.time, toTime, complete: coverage.complete && !isCut, columns }
}

/** Returns the transfers of the windows before the previous one, newest first, as far as they are cached. */
export async function readTrailing(
  source: TransferSource,
  { token, startsAt, seconds, heads }: CurrentWindow,
  previous: PreviousWindow,
  options: ReadOptions,
): Promise<TransferColumns[]> {
  const windows: TransferColumns[] = []
  const most = Math.min(TRAILING_WINDOWS, TRAILING_ROWS / Math.max(1, previous.columns.count))
  let toBlock = previous.fromBlock - 1
  while (windows.length + 1 <= most && toBlock >= 0) {
    // Look for the start of a window only if its end is cached: on some chains that takes requests.
    if ((await source.held({ token, fromBlock: toBlock, toBlock })) === null) break
    const after = startsAt - (windows.length + 2) * seconds
    const start = await source.firstBlockAfter(after, heads, options).catch(() => null)
    if (start === null || start.number === 0) break
    const fromBlock = start.number
    const held = fromBlock > toBlock ? noTransfers() : await source.held({ token, fromBlock, toBlock })
    if (held === null) break
    windows.push(held)
    toBlock = fromBlock - 1
  }
  return windows
}
