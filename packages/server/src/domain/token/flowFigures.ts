import type { Address, TransferColumns } from '../../ports/chain.ts'
import { findBurnOrdinals, findZero } from './activity.ts'
import { addressAt } from './columns.ts'
import { countCounterparties } from './counterparties.ts'
import { type Parties, sumParties } from './parties.ts'
import { createSums, topSlots } from './sums.ts'

/** Most addresses of each list. */
export const FLOW_ROWS = 25

export type FlowEntry = {
  readonly address: Address
  readonly in: bigint
  readonly out: bigint
  readonly inCount: number
  readonly outCount: number
  readonly counterparties: number
}

/** The figures of `/flow`, before addresses are looked up. */
export type FlowFigures = {
  readonly transfers: number
  /** Addresses that sent or received, the zero address left out. */
  readonly addresses: number
  readonly volume: bigint
  readonly accumulated: bigint
  readonly distributed: bigint
  readonly minted: bigint
  readonly burned: bigint
  readonly burnedToZero: bigint
  readonly netOfAddresses: bigint
  readonly gainers: number
  readonly losers: number
  readonly accumulators: readonly FlowEntry[]
  readonly distributors: readonly FlowEntry[]
}

/** Sums what each address received and sent. Exact; one pass, and one more for the listed addresses. */
export const measureFlow = (columns: TransferColumns, limit = FLOW_ROWS): FlowFigures => {
  const { count, addressCount: size } = columns
  const zero = findZero(columns)
  const burnt = findBurnOrdinals(columns)
  const parties = sumParties(columns)
  const { sent, received, outCount, inCount } = parties
  const totals = balance(size, zero, parties)
  const net = (slot: number) => received.at(slot) - sent.at(slot)
  const rough = (slot: number) => (slot === zero ? 0 : received.approximateLess(sent, slot))
  const gainers = topSlots(size, limit, rough, net)
  const losers = topSlots(
    size,
    limit,
    (slot) => -rough(slot),
    (slot) => -net(slot),
  )
  const counterparties = countCounterparties(columns, [...gainers, ...losers])
  const entry = (slot: number): FlowEntry => ({
    address: addressAt(columns, slot),
    in: received.at(slot),
    out: sent.at(slot),
    inCount: inCount[slot] ?? 0,
    outCount: outCount[slot] ?? 0,
    counterparties: counterparties.get(slot) ?? 0,
  })
  let burned = 0n
  // What a burn address sends on was not burned; transfers from zero to a burn address are mints.
  for (const slot of burnt) burned += received.at(slot)
  const mintedToBurnt = zero < 0 ? 0n : directVolume(columns, zero, burnt)
  return {
    transfers: count,
    ...totals,
    volume: sent.total(),
    minted: zero < 0 ? 0n : sent.at(zero),
    burned: burned - mintedToBurnt,
    burnedToZero: zero < 0 ? 0n : received.at(zero),
    accumulators: gainers.map(entry),
    distributors: losers.map(entry),
  }
}

const balance = (size: number, zero: number, { received, sent, inCount, outCount }: Parties) => {
  let accumulated = 0n
  let distributed = 0n
  let addresses = 0
  let gainers = 0
  let losers = 0
  // Small nets are added as doubles, exactly, and moved to the bigint before they could round.
  let gained = 0
  let lost = 0
  for (let slot = 0; slot < size; slot++) {
    if (slot === zero || (inCount[slot] === 0 && outCount[slot] === 0)) continue
    addresses++
    const income = received.approximate(slot)
    const outgo = sent.approximate(slot)
    if (income < Number.MAX_SAFE_INTEGER && outgo < Number.MAX_SAFE_INTEGER) {
      const net = income - outgo
      if (net > 0) {
        gainers++
        gained += net
      } else if (net < 0) {
        losers++
        lost -= net
      }
    } else {
      const net = received.at(slot) - sent.at(slot)
      if (net > 0n) {
        gainers++
        accumulated += net
      } else if (net < 0n) {
        losers++
        distributed -= net
      }
    }
    if (gained > SAFE_SUM) {
      accumulated += BigInt(gained)
      gained = 0
    }
    if (lost > SAFE_SUM) {
      distributed += BigInt(lost)
      lost = 0
    }
  }
  accumulated += BigInt(gained)
  distributed += BigInt(lost)
  return { addresses, gainers, losers, accumulated, distributed, netOfAddresses: accumulated - distributed }
}

/** Two numbers below 2^52 and 2^53 add up within 2^54; doubles are exact to 2^53, so this is kept well below. */
const SAFE_SUM = 2 ** 51

const directVolume = (columns: TransferColumns, sender: number, recipients: ReadonlySet<number>): bigint => {
  const sums = createSums(columns, 1)
  for (let row = 0; row < columns.count; row++)
    if (columns.from[row] === sender && recipients.has(columns.to[row] as number)) sums.add(0, row)
  return sums.at(0)
}
