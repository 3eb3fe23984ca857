import type { TransferColumns } from '../types.ts'
import { createSums } from './sums.ts'

/**
 * Splits a window into `parts` buckets of nearly equal numbers of blocks.
 * If the window has fewer blocks than parts, the empty buckets have null bounds.
 */
export function bucketise(
  columns: TransferColumns,
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number },
  parts: number,
) {
  const blocks = toBlock - fromBlock + 1
  const starts = Array.from({ length: parts + 1 }, (_, i) => fromBlock + Math.ceil((i * blocks) / parts))
  const counts = new Uint32Array(parts)
  const sums = createSums(columns, parts)
  let part = 0
  for (let row = 0; row < columns.count; row++) {
    const block = columns.block[row] as number
    while (part < parts - 1 && block >= (starts[part + 1] as number)) part++
    counts[part] = (counts[part] as number) + 1
    sums.add(part, row)
  }
  return Array.from({ length: parts }, (_, i) => {
    const first = starts[i] ?? fromBlock
    const last = (starts[i + 1] ?? toBlock + 1) - 1
    const bounds = last < first ? { fromBlock: null, toBlock: null } : { fromBlock: first, toBlock: last }
    return { ...bounds, transfers: counts[i] ?? 0, volume: sums.at(i) }
  })
}
