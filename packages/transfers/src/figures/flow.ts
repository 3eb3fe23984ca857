import { explorerUrl, type Flow, type FlowRow } from '@touchstone402/shared'
import { type AnswerContext, describeAmount, frameAnswer, toAddressInfo, toAmount } from './answer.ts'
import { FLOW_ROWS, type FlowEntry, type FlowFigures } from './flowFigures.ts'

/** Builds the answer of `/flow`. */
export function describeFlow(figures: FlowFigures, context: AnswerContext): Flow {
  const amount = (raw: bigint) => toAmount(context, raw)
  const row = (entry: FlowEntry): FlowRow => ({
    ...toAddressInfo(context, entry.address),
    explorerUrl: explorerUrl(context.network, 'address', context.checksum(entry.address)),
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
      ? `No net flow ${context.when}.`
      : `${figures.gainers} of ${figures.addresses} addresses gained ${describeAmount(context, figures.accumulated)} ${context.when}, the first of them ${describeAmount(context, best.in - best.out)}.`
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
