import { findBurnOrdinals, findZero, isZeroAt } from '../columns/columns.ts'
import type { TransferColumns } from '../types.ts'
import { createRanks } from './ranks.ts'
import { roundTripVolume } from './roundTrips.ts'
import { createSums, sumAll, topSlots } from './sums.ts'

/** Figures of one window, for pulse and momentum. */
export type Activity = ReturnType<typeof measureActivity>

const MINTED = 0
const BURNED = 1
/** Number of the most active addresses. */
const BUSIEST = 10

/** Measures one window. Exact. */
export function measureActivity(columns: TransferColumns) {
  const { count, from, to, block, addressCount } = columns
  const ranks = createRanks(columns)
  const zero = findZero(columns)
  const burnt = findBurnOrdinals(columns)
  const gross = createSums(columns, addressCount)
  const sums = createSums(columns, 2)
  const sends = new Uint8Array(addressCount)
  const receives = new Uint8Array(addressCount)
  let mints = 0
  let burns = 0
  let zeroValue = 0
  let busiestBlock: { block: number; transfers: number } | null = null
  let blockNow = -1
  let blockRows = 0
  for (let row = 0; row < count; row++) {
    const sender = from[row] as number
    const recipient = to[row] as number
    sends[sender] = 1
    receives[recipient] = 1
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
    blockRows = block[row] === blockNow ? blockRows + 1 : 1
    blockNow = block[row] as number
    if (busiestBlock === null || blockRows > busiestBlock.transfers)
      busiestBlock = { block: blockNow, transfers: blockRows }
  }
  let uniqueSenders = 0
  let uniqueReceivers = 0
  let uniqueAddresses = 0
  for (let ordinal = 0; ordinal < addressCount; ordinal++) {
    if (ordinal === zero) continue
    uniqueSenders += sends[ordinal] as number
    uniqueReceivers += receives[ordinal] as number
    uniqueAddresses += (sends[ordinal] as number) | (receives[ordinal] as number)
  }
  const volume = sumAll(columns)
  const size = (slot: number) => (slot === zero ? 0 : gross.approximate(slot))
  const busiest = topSlots(addressCount, BUSIEST, size, gross.at)
  return {
    transfers: count,
    zeroValue,
    uniqueSenders,
    uniqueReceivers,
    /** Senders and receivers, without the zero address. */
    uniqueAddresses,
    volume,
    volumeWithoutRoundTrips: volume - roundTripVolume(columns, ranks),
    mints,
    mint: sums.at(MINTED),
    burns,
    burn: sums.at(BURNED),
    median: ranks.percentile(0.5),
    p95: ranks.percentile(0.95),
    largest: ranks.largest(0),
    busiestBlock,
    /** Volume sent and received by the most active addresses. */
    topGross: busiest.reduce((sum, slot) => sum + gross.at(slot), 0n),
  }
}
