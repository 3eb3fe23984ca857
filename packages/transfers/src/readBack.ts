import { ChainError } from './chainError.ts'
import type { TransferFilter } from './logs/fetchLogs.ts'
import type { Heads, ReadOptions, TransferSource } from './types.ts'

/** Which blocks to read backwards, and how far. */
export type BackQuery = {
  readonly filters: readonly TransferFilter[]
  /** The blocks before this one are read. */
  readonly from: number
  /** First block wanted. */
  readonly floor: number
  /** Blocks of the first step. Each step is eight times as long as the one before. */
  readonly step: number
  /** Number of rows at which no older blocks are read. */
  readonly maxRows: number
  readonly heads: Heads
}

const STEP_GROWTH = 8

/**
 * Reads backwards in growing steps until the floor, the row limit or a failure such as an allowance that is used up.
 * Rows read by a failed step stay cached, so the next call resumes there.
 *
 * @returns the first block up to which everything was read, and the number of rows
 */
export async function readBack(
  source: Pick<TransferSource, 'transfers'>,
  { filters, from, floor, step, maxRows, heads }: BackQuery,
  read: ReadOptions,
): Promise<{ oldest: number; rows: number }> {
  let oldest = from
  let rows = 0
  for (let size = step; oldest > floor && rows < maxRows; size *= STEP_GROWTH) {
    const range = { fromBlock: Math.max(floor, oldest - size), toBlock: oldest - 1, heads }
    const reads = await Promise.allSettled(
      filters.map((filter) => source.transfers({ ...filter, ...range, ...read })),
    )
    for (const reading of reads) {
      if (reading.status === 'fulfilled') rows += reading.value.columns.count
      else if (reading.reason instanceof ChainError) return { oldest, rows }
      else throw reading.reason
    }
    oldest = range.fromBlock
  }
  return { oldest, rows }
}
