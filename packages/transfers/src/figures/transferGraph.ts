import { randomInt } from 'node:crypto'
import type { TransferColumns } from '../types.ts'
import { type Ranks, sizeAt } from './ranks.ts'
import { createSums } from './sums.ts'

/** Transfers between addresses that both send and receive: one edge for each sender and recipient. */
export type TransferGraph = {
  /** Number of addresses. They are numbered in the order of their first transfer, and edges likewise. */
  readonly size: number
  readonly edges: number
  readonly senders: Uint32Array
  readonly recipients: Uint32Array
  /** Returns the edge from `a` to `b`; -1 without one. */
  edge(a: number, b: number): number
  /** Returns the sum of an edge. */
  at(edge: number): bigint
}

// Secret per process, so that an attacker cannot craft transfers whose edges collide.
const SEED = randomInt(2 ** 32) | 1

/** Rows that a graph is built from at most: the largest ones. */
const MAX_ROWS = 500_000

/** Marks the largest rows: of equal ones the first. */
function findLargest(columns: TransferColumns, ranks: Ranks): Uint8Array {
  const { count } = columns
  if (count <= MAX_ROWS) return new Uint8Array(count).fill(1)
  const least = Number(ranks.largest(MAX_ROWS - 1))
  const used = new Uint8Array(count)
  let room = MAX_ROWS
  for (const isFull of [true, false])
    for (let row = 0; row < count && room > 0; row++) {
      const size = sizeAt(columns, row)
      if (isFull ? size <= least : size !== least) continue
      used[row] = 1
      room--
    }
  return used
}

/** Builds the graph of the largest transfers, without the addresses of `except` and without transfers to oneself. */
export function createTransferGraph(
  columns: TransferColumns,
  ranks: Ranks,
  except: ReadonlySet<number>,
): TransferGraph {
  const { count, from, to, addressCount } = columns
  const used = findLargest(columns, ranks)
  // Bit 0: sends. Bit 1: receives. Who does not do both is on no way back.
  const sides = new Uint8Array(addressCount)
  for (let row = 0; row < count; row++) {
    if (used[row] === 0 || from[row] === to[row]) continue
    sides[from[row] as number] = (sides[from[row] as number] as number) | 1
    sides[to[row] as number] = (sides[to[row] as number] as number) | 2
  }
  for (const ordinal of except) sides[ordinal] = 0
  let length = 0
  for (let row = 0; row < count; row++) {
    if (
      from[row] === to[row] ||
      ((sides[from[row] as number] as number) & (sides[to[row] as number] as number)) < 3
    )
      used[row] = 0
    else length += used[row] as number
  }
  const mask = 2 ** Math.ceil(Math.log2(length * 2 + 1)) - 1
  const table = new Int32Array(mask + 1).fill(-1)
  const senders = new Uint32Array(length)
  const recipients = new Uint32Array(length)
  /** Returns the place of an edge in the table, or the free one where it belongs. */
  const placeOf = (a: number, b: number): number => {
    let hash = Math.imul(a ^ SEED, 0x9e3779b1) ^ Math.imul(b + SEED, 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 15), SEED)
    let place = (hash ^ (hash >>> 13)) & mask
    for (;;) {
      const edge = table[place] as number
      if (edge < 0 || (senders[edge] === a && recipients[edge] === b)) return place
      place = (place + 1) & mask
    }
  }
  const numbers = new Int32Array(addressCount).fill(-1)
  const sums = createSums(columns, length)
  let size = 0
  let edges = 0
  for (let row = 0; row < count; row++) {
    if (used[row] === 0) continue
    const sender = from[row] as number
    const recipient = to[row] as number
    if (numbers[sender] === -1) numbers[sender] = size++
    if (numbers[recipient] === -1) numbers[recipient] = size++
    const a = numbers[sender] as number
    const b = numbers[recipient] as number
    const place = placeOf(a, b)
    if (table[place] === -1) {
      senders[edges] = a
      recipients[edges] = b
      table[place] = edges++
    }
    sums.add(table[place] as number, row)
  }
  return {
    size,
    edges,
    senders,
    recipients,
    at: sums.at,
    edge: (a, b) => table[placeOf(a, b)] as number,
  }
}
