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
import { FLOW_ROWS, type FlowEntry, type FlowFigures } from './flowFigures.ts'

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
