import { isZeroAt } from '../columns/columns.ts'
import { findBurnOrdinals, findZero } from '../columns/supplyAddresses.ts'
import type { TransferColumns } from '../types.ts'
import type { Ranks } from './ranks.ts'
import { roundTripVolume } from './roundTrips.ts'
import { createSums, topSlots } from './sums.ts'

/** Measures the figures that pulse and momentum share. Exact. */
export function measureActivity(columns: TransferColumns, ranks: Ranks) {
  const { count, from, to, block, addressCount } = columns
  const zero = findZero(columns)
  const burnt = findBurnOrdinals(columns)
  const gross = createSums(columns, addressCount)
  const MINTED = 0
  const BURNED = 1
  const VOLUME = 2
  const sums = createSums(columns, 3)
  // Bit 0: has sent. Bit 1: has received.
  const seen = new Uint8Array(addressCount)
  let mints = 0
  let burns = 0
  let zeroValue = 0
  let busiest: { block: number; transfers: number } | null = null
  let blockNow = -1
  let blockRows = 0
  for (let row = 0; row < count; row++) {
    const sender = from[row] as number
    const recipient = to[row] as number
    seen[sender] = (seen[sender] as number) | 1
    seen[recipient] = (seen[recipient] as number) | 2
    sums.add(VOLUME, row)
    gross.add(sender, row)
    gross.add(recipient, row)
    if (sender === zero) {
      mints++
      sums.add(MINTED, row)
    } else if (burnt.has(recipient)) {
      burns++
      sums.add(BURNED, row)
    }
    if (isZeroAt(columns, row)) zeroValue++
    if (block[row] !== blockNow) {
      blockNow = block[row] as number
      blockRows = 0
    }
    blockRows++
    if (busiest === null || blockRows > busiest.transfers) busiest = { block: blockNow, transfers: blockRows }
  }
  let uniqueSenders = 0
  let uniqueReceivers = 0
  let uniqueAddresses = 0
  for (let ordinal = 0; ordinal < addressCount; ordinal++) {
    if (ordinal === zero) continue
    const bits = seen[ordinal] as number
    if (bits & 1) uniqueSenders++
    if (bits & 2) uniqueReceivers++
    if (bits) uniqueAddresses++
  }
  return {
    transfers: count,
    zeroValue,
    uniqueSenders,
    uniqueReceivers,
    /** Senders and receivers, without the zero address. */
    uniqueAddresses,
    volume: sums.at(VOLUME),
    roundTrips: roundTripVolume(columns, ranks),
    mints,
    minted: sums.at(MINTED),
    burns,
    burned: sums.at(BURNED),
    busiestBlock: busiest,
    /** Sums what the `limit` most active addresses sent and received. */
    topGross: (limit: number): bigint =>
      topSlots(addressCount, limit, (slot) => (slot === zero ? 0 : gross.approximate(slot)), gross.at).reduce(
        (sum, slot) => sum + gross.at(slot),
        0n,
      ),
  }
}
