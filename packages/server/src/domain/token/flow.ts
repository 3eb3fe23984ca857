import type { Address, TransferColumns } from '../../ports/chain.ts'
import { findBurnOrdinals, findZero } from './activity.ts'
import {
  type AddressInfo,
  type Amount,
  type AnswerContext,
  describeAmount,
  frameAnswer,
  type TokenAnswer,
  toAddressInfo,
  toAmount,
} from './answer.ts'
import { addressAt } from './columns.ts'
import { createSums, topSlots } from './sums.ts'

/** Most addresses of each list. */
export const FLOW_ROWS = 25

export type FlowRow = AddressInfo & {
  readonly in: Amount
  readonly out: Amount
  /** In minus out; negative for a distributor. */
  readonly net: Amount
  readonly inCount: number
  readonly outCount: number
  /** Distinct addresses it received from or sent to. */
  readonly counterparties: number
}

/** Net flow by address. */
export type Flow = TokenAnswer & {
  readonly addresses: number
  readonly limit: number
  readonly truncated: boolean
  readonly topAccumulators: readonly FlowRow[]
  readonly topDistributors: readonly FlowRow[]
  readonly totals: {
    readonly transfers: number
    readonly volume: Amount
    readonly accumulated: Amount
    readonly distributed: Amount
    readonly mint: Amount
    readonly burn: Amount
  }
  /**
   * What all addresses gained minus what all lost, against what was minted minus what was sent to the zero
   * address; `difference` is 0 when every token is accounted for.
   */
  readonly sumToZero: {
    readonly netOfAddresses: Amount
    readonly minted: Amount
    readonly burnedToZero: Amount
    readonly difference: Amount
    readonly ok: boolean
  }
}

type FlowEntry = {
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
  const { count, from, to, addressCount: size } = columns
  const zero = findZero(columns)
  const burnt = findBurnOrdinals(columns)
  const received = createSums(columns, size)
  const sent = createSums(columns, size)
  const inCount = new Uint32Array(size)
  const outCount = new Uint32Array(size)
  sent.addAll(from, outCount)
  received.addAll(to, inCount)
  const totals = balance(size, zero, received, sent, inCount, outCount)
  const net = (slot: number) => received.at(slot) - sent.at(slot)
  const rough = (slot: number) => (slot === zero ? 0 : received.approximateLess(sent, slot))
  const gainers = topSlots(size, limit, rough, net)
  const losers = topSlots(
    size,
    limit,
    (slot) => -rough(slot),
    (slot) => -net(slot),
  )
  const parties = countCounterparties(columns, [...gainers, ...losers])
  const entry = (slot: number): FlowEntry => ({
    address: addressAt(columns, slot),
    in: received.at(slot),
    out: sent.at(slot),
    inCount: inCount[slot] ?? 0,
    outCount: outCount[slot] ?? 0,
    counterparties: parties.get(slot) ?? 0,
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

const balance = (
  size: number,
  zero: number,
  received: ReturnType<typeof createSums>,
  sent: ReturnType<typeof createSums>,
  inCount: Uint32Array,
  outCount: Uint32Array,
) => {
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

const countCounterparties = (
  columns: TransferColumns,
  slots: readonly number[],
): ReadonlyMap<number, number> => {
  const { count, from, to } = columns
  const place = new Uint8Array(columns.addressCount)
  const listed = [...new Set(slots)]
  listed.forEach((slot, i) => {
    place[slot] = i + 1
  })
  // One bit an address for each listed one: far cheaper than a set of them.
  const words = Math.ceil(columns.addressCount / 32)
  const met = listed.map(() => new Uint32Array(words))
  const parties = new Uint32Array(listed.length)
  const meet = (i: number, other: number) => {
    const bits = met[i] as Uint32Array
    const word = other >>> 5
    const held = bits[word] as number
    const bit = 1 << (other & 31)
    if ((held & bit) !== 0) return
    bits[word] = held | bit
    parties[i] = (parties[i] as number) + 1
  }
  for (let row = 0; row < count; row++) {
    const sender = from[row] as number
    const recipient = to[row] as number
    const a = place[sender] as number
    const b = place[recipient] as number
    if ((a | b) === 0 || sender === recipient) continue
    if (a > 0) meet(a - 1, recipient)
    if (b > 0) meet(b - 1, sender)
  }
  return new Map(listed.map((slot, i) => [slot, parties[i] ?? 0]))
}

/** Makes the answer. */
export const describeFlow = (figures: FlowFigures, context: AnswerContext): Flow => {
  const amount = (raw: bigint) => toAmount(context, raw)
  const row = (entry: FlowEntry): FlowRow => ({
    ...toAddressInfo(context, entry.address),
    in: amount(entry.in),
    out: amount(entry.out),
    net: amount(entry.in - entry.out),
    inCount: entry.inCount,
    outCount: entry.outCount,
    counterparties: entry.counterparties,
  })
  const { minted, burnedToZero, netOfAddresses } = figures
  const difference = netOfAddresses - (minted - burnedToZero)
  const [best] = figures.accumulators
  const summary =
    best === undefined
      ? `No net flow in the last ${context.window.name}.`
      : `${figures.gainers} of ${figures.addresses} addresses gained ${describeAmount(context, figures.accumulated)} in the last ${context.window.name}, the first of them ${describeAmount(context, best.in - best.out)}.`
  return {
    ...frameAnswer(context, summary, []),
    addresses: figures.addresses,
    limit: FLOW_ROWS,
    truncated: figures.gainers > figures.accumulators.length || figures.losers > figures.distributors.length,
    topAccumulators: figures.accumulators.map(row),
    topDistributors: figures.distributors.map(row),
    totals: {
      transfers: figures.transfers,
      volume: amount(figures.volume),
      accumulated: amount(figures.accumulated),
      distributed: amount(figures.distributed),
      mint: amount(minted),
      burn: amount(figures.burned),
    },
    sumToZero: {
      netOfAddresses: amount(netOfAddresses),
      minted: amount(minted),
      burnedToZero: amount(burnedToZero),
      difference: amount(difference),
      ok: difference === 0n,
    },
  }
}
