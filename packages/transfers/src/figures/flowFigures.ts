import { addressAt, findBurnOrdinals, findZero } from '../columns/columns.ts'
import type { Address, TransferColumns } from '../types.ts'
import { type Nets, sumNets } from './nets.ts'
import { measureSides, type Sides } from './sides.ts'
import { createSums, topSlots } from './sums.ts'

/** Maximum number of addresses per list. */
export const FLOW_ROWS = 25

/** Flow of one address. */
export type FlowEntry = Sides & { readonly address: Address }

/** Figures of `/flow`, before its addresses are described. */
export type FlowFigures = ReturnType<typeof measureFlow>

/** Sums what each address gained and lost, exactly: one pass for all, one more for the listed addresses. */
export function measureFlow(columns: TransferColumns, limit = FLOW_ROWS) {
  const { count, addressCount: size } = columns
  const zero = findZero(columns)
  const burnt = findBurnOrdinals(columns)
  const nets = sumNets(columns)
  const rough = (slot: number) => (slot === zero ? 0 : nets.approximate(slot))
  const gainers = topSlots(size, limit, rough, nets.at)
  const losers = topSlots(
    size,
    limit,
    (slot) => -rough(slot),
    (slot) => -nets.at(slot),
  )
  const sides = measureSides(columns, [...gainers, ...losers, ...burnt, ...(zero < 0 ? [] : [zero])])
  const entry = (slot: number): FlowEntry => ({ address: addressAt(columns, slot), ...sidesOf(sides, slot) })
  let burned = 0n
  // Transfers from the zero address to a burn address are mints.
  for (const slot of burnt) burned += sidesOf(sides, slot).in
  const mintedToBurnt = zero < 0 ? 0n : directVolume(columns, zero, burnt)
  return {
    transfers: count,
    ...balance(size, zero, nets),
    volume: nets.volume,
    minted: sidesOf(sides, zero).out,
    burned: burned - mintedToBurnt,
    burnedToZero: sidesOf(sides, zero).in,
    others: sumOthers(columns, [...gainers, ...losers], zero),
    accumulators: gainers.map(entry),
    distributors: losers.map(entry),
  }
}

const NONE: Sides = { in: 0n, out: 0n, inCount: 0, outCount: 0, counterparties: 0 }
const sidesOf = (sides: ReadonlyMap<number, Sides>, slot: number): Sides => sides.get(slot) ?? NONE

/** Nets below this are summed as doubles, up to this: such a sum stays below 2^53, so it is exact. */
const SMALL = 2 ** 52

/** Sums gains and losses. `addresses` counts all that moved, without the zero address. */
function balance(size: number, zero: number, nets: Nets) {
  let accumulated = 0n
  let distributed = 0n
  let addresses = 0
  let gainers = 0
  let losers = 0
  let gained = 0
  let lost = 0
  for (let slot = 0; slot < size; slot++) {
    if (slot === zero || !nets.hasMoved(slot)) continue
    addresses++
    const net = nets.approximate(slot)
    if (net > 0) {
      gainers++
      if (net < SMALL) gained += net
      else accumulated += nets.at(slot)
    } else if (net < 0) {
      losers++
      if (net > -SMALL) lost -= net
      else distributed -= nets.at(slot)
    }
    if (gained >= SMALL) {
      accumulated += BigInt(gained)
      gained = 0
    }
    if (lost >= SMALL) {
      distributed += BigInt(lost)
      lost = 0
    }
  }
  accumulated += BigInt(gained)
  distributed += BigInt(lost)
  return { addresses, gainers, losers, accumulated, distributed }
}

function directVolume(columns: TransferColumns, sender: number, recipients: ReadonlySet<number>): bigint {
  const sums = createSums(columns, 1)
  for (let row = 0; row < columns.count; row++)
    if (columns.from[row] === sender && recipients.has(columns.to[row] as number)) sums.add(0, row)
  return sums.at(0)
}

/**
 * Sums the net of all addresses that are neither listed nor the zero address, from the transfers themselves.
 * Transfers between two of them cancel out, so only those to and from the others count.
 */
function sumOthers(columns: TransferColumns, listed: readonly number[], zero: number): bigint {
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
