import type { Flow, FlowRow } from '@touchstone402/shared'
import { addressAt, findBurnOrdinals, findZero } from '../columns/columns.ts'
import type { Address, TransferColumns } from '../types.ts'
import { type AnswerContext, describeAmount, frameAnswer, toAddressInfo, toAmount } from './answer.ts'
import { measureSides, type Sides } from './sides.ts'
import { createSums, sumAll, topSlots } from './sums.ts'

/** Maximum number of addresses per list. */
export const FLOW_ROWS = 25

/** Flow of one address. */
type FlowEntry = Sides & { readonly address: Address }

/** Figures of `/flow`, before its addresses are described. */
type FlowFigures = ReturnType<typeof measureFlow>

const MINTED_TO_BURNT = 0
const GAINED = 1
const LOST = 2

/** Sums what each address gained and lost, exactly: one pass for all, one more for the listed addresses. */
export function measureFlow(columns: TransferColumns, limit = FLOW_ROWS) {
  const { count, from, to, addressCount: size } = columns
  const zero = findZero(columns)
  const burnt = findBurnOrdinals(columns)
  const nets = createSums(columns, size)
  const totals = createSums(columns, 3)
  nets.addNets()
  const hasMoved = new Uint8Array(size)
  for (let row = 0; row < count; row++) {
    const sender = from[row] as number
    const recipient = to[row] as number
    hasMoved[sender] = 1
    hasMoved[recipient] = 1
    if (sender === zero && burnt.has(recipient)) totals.add(MINTED_TO_BURNT, row)
  }
  // What the zero address sends and receives are mints and burns.
  if (zero >= 0) hasMoved[zero] = 0
  let addresses = 0
  let gainerCount = 0
  let loserCount = 0
  for (let slot = 0; slot < size; slot++) {
    if (hasMoved[slot] === 0) continue
    addresses++
    const net = nets.approximate(slot)
    if (net > 0) gainerCount++
    else if (net < 0) loserCount++
    totals.addSum(net > 0 ? GAINED : LOST, nets, slot)
  }
  const rough = (slot: number) => (slot === zero ? 0 : nets.approximate(slot))
  const gainers = topSlots(size, limit, rough, nets.at)
  const losers = topSlots(
    size,
    limit,
    (slot) => -rough(slot),
    (slot) => -nets.at(slot),
  )
  const sides = measureSides(columns, [...gainers, ...losers, ...burnt, zero])
  const sidesOf = (slot: number): Sides => sides.get(slot) ?? NONE
  const entry = (slot: number): FlowEntry => ({ address: addressAt(columns, slot), ...sidesOf(slot) })
  return {
    transfers: count,
    addresses,
    gainers: gainerCount,
    losers: loserCount,
    accumulated: totals.at(GAINED),
    distributed: -totals.at(LOST),
    volume: sumAll(columns),
    minted: sidesOf(zero).out,
    // Transfers from the zero address to a burn address are mints.
    burned: [...burnt].reduce((sum, slot) => sum + sidesOf(slot).in, 0n) - totals.at(MINTED_TO_BURNT),
    burnedToZero: sidesOf(zero).in,
    others: sumOthers(columns, [...gainers, ...losers, zero]),
    accumulators: gainers.map(entry),
    distributors: losers.map(entry),
  }
}

const NONE: Sides = { in: 0n, out: 0n, inCount: 0, outCount: 0, counterparties: 0 }

/**
 * Sums the net of all addresses but the listed ones, from the transfers themselves.
 * Transfers between two of them cancel out, so only those to and from the listed ones count.
 */
function sumOthers(columns: TransferColumns, listed: readonly number[]): bigint {
  const isOther = new Uint8Array(columns.addressCount).fill(1)
  for (const slot of listed) isOther[slot] = 0
  const net = createSums(columns, 1)
  for (let row = 0; row < columns.count; row++) {
    const receives = isOther[columns.to[row] as number] as number
    const sends = isOther[columns.from[row] as number] as number
    if (receives > sends) net.add(0, row)
    else if (sends > receives) net.subtract(0, row)
  }
  return net.at(0)
}

/** Builds the answer of `/flow`. */
export function describeFlow(figures: FlowFigures, context: AnswerContext): Flow {
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
  const topAccumulators = figures.accumulators.map(row)
  const topDistributors = figures.distributors.map(row)
  const { minted, burnedToZero, others } = figures
  const netOfAddresses = figures.accumulated - figures.distributed
  // From the rows as shown, and the transfers of all others: a row that is wrong, missing or doubled shows here.
  const listed = [...topAccumulators, ...topDistributors].reduce((sum, { net }) => sum + BigInt(net.raw), 0n)
  const difference = listed + others - (minted - burnedToZero)
  const ok = difference === 0n && listed + others === netOfAddresses
  const caveats = ok ? [] : ['The net flows do not sum to zero: the figures are wrong.']
  const [best] = figures.accumulators
  const summary =
    best === undefined
      ? `No net flow in the last ${context.window.name}.`
      : `${figures.gainers} of ${figures.addresses} addresses gained ${describeAmount(context, figures.accumulated)} in the last ${context.window.name}, the first of them ${describeAmount(context, best.in - best.out)}.`
  return {
    ...frameAnswer(context, summary, caveats),
    addresses: figures.addresses,
    limit: FLOW_ROWS,
    truncated: figures.gainers > figures.accumulators.length || figures.losers > figures.distributors.length,
    topAccumulators,
    topDistributors,
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
      listed: amount(listed),
      others: amount(others),
      minted: amount(minted),
      burnedToZero: amount(burnedToZero),
      difference: amount(difference),
      ok,
    },
  }
}
