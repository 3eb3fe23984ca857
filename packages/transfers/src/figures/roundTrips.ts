import { findBurnOrdinals, findZero } from '../columns/columns.ts'
import type { TransferColumns } from '../types.ts'
import type { Ranks } from './ranks.ts'
import { createSums } from './sums.ts'
import { createTransferGraph, type TransferGraph } from './transferGraph.ts'

/** Look-ups for rings. A window that needs more is searched as far as this, from its first transfers on. */
const MAX_STEPS = 2_000_000

/**
 * Number of addresses that one deals with from which on it is a pool, a router or an exchange: who buys there and sells
 * again later traded, and washed nothing.
 */
const HUB_NEIGHBOURS = 100
/** An amount below this part of an address's volume is dust, which anyone can send it. */
const DUST_SHARE = 1000n

/** Amounts of the edges that no cycle has taken yet. */
type Left = {
  isSpent(edge: number): boolean
  /** Takes the least of some edges from each of them. Returns what was taken in all. */
  take(edges: readonly number[]): bigint
}

function createLeft({ edges: size, at }: TransferGraph): Left {
  const left = new Map<number, bigint>()
  const spent = new Uint8Array(size)
  const leftOf = (edge: number) => left.get(edge) ?? at(edge)
  return {
    isSpent: (edge) => spent[edge] === 1,
    take(edges) {
      const amounts = edges.map(leftOf)
      let least = amounts[0] ?? 0n
      for (const amount of amounts) if (amount < least) least = amount
      edges.forEach((edge, i) => {
        const rest = (amounts[i] ?? 0n) - least
        if (rest === 0n) spent[edge] = 1
        left.set(edge, rest)
      })
      return least * BigInt(edges.length)
    },
  }
}

/** Counts the counterparties of an address, per direction, except dust: amounts below a thousandth of its volume. */
function countNeighbours({ size, edges, senders, recipients, at }: TransferGraph): Uint32Array {
  const volumes = new Array<bigint>(size).fill(0n)
  const eachSide = (visit: (address: number, amount: bigint) => void) => {
    for (let i = 0; i < edges; i++) {
      visit(senders[i] as number, at(i))
      visit(recipients[i] as number, at(i))
    }
  }
  eachSide((address, amount) => {
    volumes[address] = (volumes[address] as bigint) + amount
  })
  const degrees = new Uint32Array(size)
  eachSide((address, amount) => {
    if (amount * DUST_SHARE >= (volumes[address] as bigint))
      degrees[address] = (degrees[address] as number) + 1
  })
  return degrees
}

const isHub = (degrees: Uint32Array, address: number) => (degrees[address] as number) >= HUB_NEIGHBOURS

/** Sums what two addresses sent each other: twice the smaller of both sums. */
function takePairs(
  { edges, senders, recipients, edge }: TransferGraph,
  { take }: Left,
  degrees: Uint32Array,
): bigint {
  let volume = 0n
  for (let there = 0; there < edges; there++) {
    const [a, b] = [senders[there] as number, recipients[there] as number]
    if (isHub(degrees, a) || isHub(degrees, b)) continue
    const back = a < b ? edge(b, a) : -1
    if (back >= 0) volume += take([there, back])
  }
  return volume
}

/**
 * Sums what went round three addresses. Each ring is found from its address with the fewest neighbours, which keeps
 * the work low around addresses that deal with thousands.
 */
function takeRings(
  { size, edges, senders, recipients, edge }: TransferGraph,
  { isSpent, take }: Left,
  degrees: Uint32Array,
): bigint {
  const isBelow = (a: number, b: number) => {
    const [one, other] = [degrees[a] as number, degrees[b] as number]
    return one === other ? a < b : one < other
  }
  // The edges to address `a` from addresses above it are `inward[starts[a]]` to `inward[starts[a + 1] - 1]`.
  const starts = new Uint32Array(size + 1)
  const isInward = (i: number) => isBelow(recipients[i] as number, senders[i] as number)
  for (let i = 0; i < edges; i++)
    if (isInward(i))
      starts[(recipients[i] as number) + 1] = (starts[(recipients[i] as number) + 1] as number) + 1
  for (let a = 0; a < size; a++) starts[a + 1] = (starts[a + 1] as number) + (starts[a] as number)
  const inward = new Uint32Array(starts[size] as number)
  const next = starts.slice()
  for (let i = 0; i < edges; i++)
    if (isInward(i)) {
      const a = recipients[i] as number
      inward[next[a] as number] = i
      next[a] = (next[a] as number) + 1
    }
  let volume = 0n
  let steps = 0
  for (let first = 0; first < edges; first++) {
    const [a, b] = [senders[first] as number, recipients[first] as number]
    if (!isBelow(a, b) || isSpent(first) || isHub(degrees, b)) continue
    for (let i = starts[a] as number; i < (starts[a + 1] as number); i++) {
      if (++steps > MAX_STEPS) return volume
      const third = inward[i] as number
      const c = senders[third] as number
      if (c === b || isSpent(third) || isHub(degrees, c)) continue
      const second = edge(b, c)
      if (second >= 0 && !isSpent(second)) volume += take([first, second, third])
      if (isSpent(first)) break
    }
  }
  return volume
}

/**
 * Sums the volume that came back to its sender within the window, in any number of transactions: what an address sent
 * itself, what two addresses sent each other, and what went round three. Wash trades produce such volume; what goes
 * through pools, routers and exchanges is trade. Mints and burns have no return. In a window of more than 500,000
 * transfers, the largest are searched.
 */
export function roundTripVolume(columns: TransferColumns, ranks: Ranks): bigint {
  const own = createSums(columns, 1)
  for (let row = 0; row < columns.count; row++) if (columns.from[row] === columns.to[row]) own.add(0, row)
  const graph = createTransferGraph(
    columns,
    ranks,
    new Set([findZero(columns), ...findBurnOrdinals(columns)]),
  )
  const left = createLeft(graph)
  const degrees = countNeighbours(graph)
  return own.at(0) + takePairs(graph, left, degrees) + takeRings(graph, left, degrees)
}
