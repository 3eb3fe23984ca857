import type { TransferColumns } from '../types.ts'
import { createSums } from './sums.ts'

/** Transfers between addresses that both send and receive: one edge for each sender and recipient. */
export type TransferGraph = {
  /** Number of addresses. They are numbered in the order of their first transfer. */
  readonly size: number
  /** The edges of sender `a` are `starts[a]` to `starts[a + 1] - 1`, ascending by recipient. */
  readonly starts: Uint32Array
  readonly recipients: Uint32Array
  /** Returns the edge from `a` to `b`; -1 without one. */
  edge(a: number, b: number): number
  /** Returns the sum of an edge. */
  at(edge: number): bigint
}

/** Sorts rows by a key below `size`, keeping the order of equal keys. */
function sortBy(rows: Uint32Array, size: number, keyOf: (row: number) => number): Uint32Array {
  const next = new Uint32Array(size + 1)
  for (const row of rows) next[keyOf(row) + 1] = (next[keyOf(row) + 1] as number) + 1
  for (let key = 0; key < size; key++) next[key + 1] = (next[key + 1] as number) + (next[key] as number)
  const sorted = new Uint32Array(rows.length)
  for (const row of rows) {
    const key = keyOf(row)
    sorted[next[key] as number] = row
    next[key] = (next[key] as number) + 1
  }
  return sorted
}

/** Builds the graph, without the addresses of `except` and without transfers to oneself. */
export function createTransferGraph(columns: TransferColumns, except: ReadonlySet<number>): TransferGraph {
  const { count, from, to, addressCount } = columns
  // Bit 0: has sent. Bit 1: has received.
  const seen = new Uint8Array(addressCount)
  for (let row = 0; row < count; row++) {
    if (from[row] === to[row]) continue
    seen[from[row] as number] = (seen[from[row] as number] as number) | 1
    seen[to[row] as number] = (seen[to[row] as number] as number) | 2
  }
  for (const ordinal of except) seen[ordinal] = 0
  const numbers = new Int32Array(addressCount).fill(-1)
  const used = new Uint32Array(count)
  let size = 0
  let length = 0
  for (let row = 0; row < count; row++) {
    const [sender, recipient] = [from[row] as number, to[row] as number]
    if (seen[sender] !== 3 || seen[recipient] !== 3 || sender === recipient) continue
    if (numbers[sender] === -1) numbers[sender] = size++
    if (numbers[recipient] === -1) numbers[recipient] = size++
    used[length++] = row
  }
  const senderOf = (row: number) => numbers[from[row] as number] as number
  const recipientOf = (row: number) => numbers[to[row] as number] as number
  const rows = sortBy(sortBy(used.subarray(0, length), size, recipientOf), size, senderOf)
  const starts = new Uint32Array(size + 1)
  const recipients = new Uint32Array(length)
  const sums = createSums(columns, length)
  let edges = 0
  rows.forEach((row, i) => {
    const last = rows[i - 1]
    const isNew = last === undefined || from[last] !== from[row] || to[last] !== to[row]
    if (isNew) {
      recipients[edges++] = recipientOf(row)
      starts[senderOf(row) + 1] = edges
    }
    sums.add(edges - 1, row)
  })
  // Senders without an edge of their own start where the one before them ends.
  for (let a = 0; a < size; a++) starts[a + 1] = Math.max(starts[a + 1] as number, starts[a] as number)
  return {
    size,
    starts,
    recipients: recipients.subarray(0, edges),
    at: sums.at,
    edge(a, b) {
      let low = starts[a] as number
      const end = starts[a + 1] as number
      for (let high = end; low < high; ) {
        const middle = (low + high) >>> 1
        if ((recipients[middle] as number) < b) low = middle + 1
        else high = middle
      }
      return low < end && recipients[low] === b ? low : -1
    },
  }
}
