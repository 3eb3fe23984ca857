import { valueAt } from '../columns/columns.ts'
import type { TransferColumns } from '../types.ts'

/** Maximum rows of a transaction to compare pairwise before summing. */
const FEW = 12

function pairwise(columns: TransferColumns, start: number, end: number): bigint {
  const sums = new Map<string, bigint>()
  for (let row = start; row < end; row++) {
    const key = `${columns.from[row]} ${columns.to[row]}`
    sums.set(key, (sums.get(key) ?? 0n) + valueAt(columns, row))
  }
  let volume = 0n
  for (const [key, there] of sums) {
    const [from, to] = key.split(' ')
    if (from === to) volume += there
    else {
      const back = sums.get(`${to} ${from}`) ?? 0n
      // Each pair comes up twice, once per direction.
      if (there < back) volume += there
      else volume += back
    }
  }
  return volume
}

function returns({ from, to }: TransferColumns, start: number, end: number): boolean {
  for (let row = start; row < end; row++) {
    if (from[row] === to[row]) return true
    for (let other = row + 1; other < end; other++)
      if (from[row] === to[other] && to[row] === from[other]) return true
  }
  return false
}

/**
 * Sums the volume that returned within one transaction: what an address sent itself, and twice the smaller of
 * what two addresses sent each other. Flash loans and wash transfers produce such volume.
 */
export function roundTripVolume(columns: TransferColumns): bigint {
  const { count, tx, from, to } = columns
  let volume = 0n
  for (let start = 0; start < count; ) {
    let end = start + 1
    while (end < count && tx[end] === tx[start]) end++
    if (end - start === 1) {
      if (from[start] === to[start]) volume += valueAt(columns, start)
    } else if (end - start > FEW || returns(columns, start, end)) volume += pairwise(columns, start, end)
    start = end
  }
  return volume
}
