import type { TransferColumns } from '../types.ts'
import { createSums } from './sums.ts'

/**
 * Sums the net of all addresses that are neither listed nor the zero address, from the transfers themselves.
 * Transfers between two of them cancel out, so only those to and from the others count.
 */
export function sumOthers(columns: TransferColumns, listed: readonly number[], zero: number): bigint {
  const { count, from, to } = columns
  const isOther = new Uint8Array(columns.addressCount).fill(1)
  for (const slot of listed) isOther[slot] = 0
  if (zero >= 0) isOther[zero] = 0
  const IN = 0
  const OUT = 1
  const sums = createSums(columns, 2)
  for (let row = 0; row < count; row++) {
    const recipient = isOther[to[row] as number] as number
    if (recipient !== isOther[from[row] as number]) sums.add(recipient === 1 ? IN : OUT, row)
  }
  return sums.at(IN) - sums.at(OUT)
}
