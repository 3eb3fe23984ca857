import type { TransferColumns } from '../types.ts'
import { createSums } from './sums.ts'
import { findBurnOrdinals, findZero } from './supplyAddresses.ts'
import { createTransferGraph, type TransferGraph } from './transferGraph.ts'

/** Look-ups for rings. A window that needs more is searched as far as this, from its first addresses on. */
const MAX_STEPS = 10_000_000

/** Takes the least of some edges from each of them. Returns what was taken in all. */
type TakeCycle = (edges: readonly number[]) => bigint

/** Sums what two addresses sent each other: twice the smaller of both sums. */
function takePairs({ size, starts, recipients, edge }: TransferGraph, take: TakeCycle): bigint {
  let volume = 0n
  for (let a = 0; a < size; a++)
    for (let there = starts[a] as number; there < (starts[a + 1] as number); there++) {
      const b = recipients[there] as number
      const back = a < b ? edge(b, a) : -1
      if (back >= 0) volume += take([there, back])
    }
  return volume
}

/**
 * Sums what went round three addresses. Each ring is found from its address with the fewest neighbours, which keeps
 * the work low around addresses that deal with thousands.
 */
function takeRings(graph: TransferGraph, take: TakeCycle): bigint {
  const { size, starts, recipients, edge } = graph
  const degrees = new Uint32Array(size)
  for (let a = 0; a < size; a++) degrees[a] = (starts[a + 1] as number) - (starts[a] as number)
  for (const recipient of recipients) degrees[recipient] = (degrees[recipient] as number) + 1
  const isBelow = (a: number, b: number) =>
    degrees[a] === degrees[b] ? a < b : (degrees[a] as number) < (degrees[b] as number)
  // Edges to each address, from addresses above it.
  const sources: number[][] = Array.from({ length: size }, () => [])
  for (let a = 0; a < size; a++)
    for (let i = starts[a] as number; i < (starts[a + 1] as number); i++) {
      const b = recipients[i] as number
      if (isBelow(b, a)) sources[b]?.push(a)
    }
  let volume = 0n
  let steps = 0
  for (let a = 0; a < size; a++)
    for (let first = starts[a] as number; first < (starts[a + 1] as number); first++) {
      const b = recipients[first] as number
      if (!isBelow(a, b)) continue
      for (const c of sources[a] ?? []) {
        if (++steps > MAX_STEPS) return volume
        const second = c === b ? -1 : edge(b, c)
        if (second >= 0) volume += take([first, second, edge(c, a)])
      }
    }
  return volume
}

/**
 * Sums the volume that came back to its sender within the window, in any number of transactions: what an address sent
 * itself, what two addresses sent each other, and what went round three. Wash trades and flash loans produce such
 * volume. Mints and burns come back to nobody.
 */
export function roundTripVolume(columns: TransferColumns): bigint {
  const own = createSums(columns, 1)
  for (let row = 0; row < columns.count; row++) if (columns.from[row] === columns.to[row]) own.add(0, row)
  const graph = createTransferGraph(columns, new Set([findZero(columns), ...findBurnOrdinals(columns)]))
  const left = new Map<number, bigint>()
  const leftOf = (edge: number) => left.get(edge) ?? graph.at(edge)
  const take: TakeCycle = (edges) => {
    let least = leftOf(edges[0] ?? 0)
    for (const edge of edges) if (leftOf(edge) < least) least = leftOf(edge)
    if (least > 0n) for (const edge of edges) left.set(edge, leftOf(edge) - least)
    return least * BigInt(edges.length)
  }
  return own.at(0) + takePairs(graph, take) + takeRings(graph, take)
}
