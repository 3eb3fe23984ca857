import * as z from 'zod/mini'
import * as common from './common.ts'
import * as f from './fields.ts'
import {
  addressShape,
  amountShape,
  answerShape,
  SignedTokenAmountSchema,
  TokenAddressSchema,
  TokenAmountSchema,
} from './tokenAnswer.ts'

/** Figures of a window, each alone or beside that of another window. */
function figures<Count extends z.ZodMiniType, Amount extends z.ZodMiniType>(count: Count, amount: Amount) {
  return {
    transfers: f.about('Number of transfers.', count),
    uniqueSenders: f.about('Distinct senders.', count),
    uniqueReceivers: f.about('Distinct receivers.', count),
    uniqueAddresses: f.about('Distinct addresses, sending or receiving.', count),
    volume: f.about('Sum of all transfers.', amount),
    volumeWithoutRoundTrips: f.about(
      'The same without what came back to its sender within the window, itself or over one or two others, among the 500,000 largest transfers. What goes through an address that deals with 100 others, such as a pool or an exchange, is trade.',
      amount,
    ),
    median: f.about('Median transfer.', amount),
    largest: f.about('Largest transfer.', amount),
  }
}

const explorerUrl = (what: 'transaction' | 'address') =>
  z.nullable(f.text(`Page of a block explorer about the ${what}; null if the chain has none.`))

const alone = figures(f.CountSchema, TokenAmountSchema)
const moved = { transfers: alone.transfers, volume: alone.volume }
const supply = {
  mint: f.about('Created, by deposits as well.', TokenAmountSchema),
  burn: f.about('Destroyed, by withdrawals as well.', TokenAmountSchema),
}

export const PulseSchema = f.model('Pulse', 'Activity of a token over a window of blocks.', {
  ...answerShape,
  ...alone,
  zeroValueTransfers: f.whole('Number of transfers of zero tokens.'),
  mint: f.group('Created, by deposits as well.', { count: f.whole('Number of mints.'), ...amountShape }),
  burn: f.group('Destroyed, by withdrawals as well.', { count: f.whole('Number of burns.'), ...amountShape }),
  p95: f.about('95th percentile of transfers.', TokenAmountSchema),
  top10SharePct: f.percent('Share of the ten addresses that moved most, in percent of the volume.'),
  transfersPerBlock: f.about('Mean number of transfers in a block.', z.number().check(z.minimum(0))),
  busiestBlock: z.nullable(
    f.group('Block with the most transfers; null without transfers.', {
      block: f.whole('Its number.'),
      transfers: f.whole('Its transfers.'),
    }),
  ),
  series: f.list('The window in 24 parts of equal time, oldest first.', {
    fromTime: z.nullable(f.time('Time of the first block of the part, UTC; null if it holds none.')),
    fromBlock: z.nullable(f.whole('First block of the part; null if it holds none.')),
    toBlock: z.nullable(f.whole('Last block of the part; null if it holds none.')),
    ...moved,
  }),
})

export const WhalesSchema = f.model('Whales', 'Large transfers of a token over a window of blocks.', {
  ...answerShape,
  threshold: f.group('From which amount on a transfer is large.', {
    ...amountShape,
    rule: f.oneOf('How it came about: given, or derived.', ['given', 'p99', 'tenth-largest']),
    statement: f.text('The rule in one sentence.'),
  }),
  matched: f.whole('Number of large transfers, in this answer or not.'),
  matchedVolume: f.about('Sum of all large transfers.', TokenAmountSchema),
  ...common.extent,
  rows: f.list('Large transfers, largest first.', {
    txHash: f.about('Hash of the transaction.', f.HashSchema),
    explorerUrl: explorerUrl('transaction'),
    logIndex: f.whole('Index of the log within its block.'),
    block: f.whole('Number of the block.'),
    time: f.time('Time of the block, UTC.'),
    from: f.about('Sender of the transfer.', TokenAddressSchema),
    to: f.about('Receiver of the transfer.', TokenAddressSchema),
    ...amountShape,
    shareOfVolumePct: f.percent("Share in the window's volume, in percent."),
  }),
  totals: f.group('Sums over all large transfers.', {
    intoContracts: f.about('Into contracts.', TokenAmountSchema),
    outOfContracts: f.about('Out of contracts.', TokenAmountSchema),
    ...supply,
  }),
})

const FlowRowSchema = f.model('FlowRow', 'Tokens that one address received and sent.', {
  ...addressShape,
  explorerUrl: explorerUrl('address'),
  in: f.about('Tokens received.', TokenAmountSchema),
  out: f.about('Tokens sent.', TokenAmountSchema),
  net: f.about('Received less sent.', SignedTokenAmountSchema),
  inCount: f.whole('Number of transfers received.'),
  outCount: f.whole('Number of transfers sent.'),
  counterparties: f.whole('Distinct addresses on the other side.'),
})

export const FlowSchema = f.model('Flow', 'Net flow of a token by address over a window.', {
  ...answerShape,
  addresses: f.whole('Number of addresses that sent or received.'),
  limit: f.whole('Maximum number of rows in each list.'),
  truncated: f.bool('Whether a list leaves rows out.'),
  topAccumulators: f.listOf('Addresses that gained most, largest gain first.', FlowRowSchema),
  topDistributors: f.listOf('Addresses that lost most, largest loss first.', FlowRowSchema),
  totals: f.group('Sums over all addresses.', {
    ...moved,
    accumulated: f.about('Sum of all gains.', TokenAmountSchema),
    distributed: f.about('Sum of all losses.', TokenAmountSchema),
    ...supply,
  }),
  sumToZero: f.group('Check that nothing is missing: all nets add up to mints less burns.', {
    netOfAddresses: f.about('Sum of the nets of all addresses.', SignedTokenAmountSchema),
    listed: f.about('Sum of the nets of the rows shown.', SignedTokenAmountSchema),
    others: f.about('Sum of the nets of all other addresses.', SignedTokenAmountSchema),
    minted: f.about('Tokens that came from the zero address, and deposits.', TokenAmountSchema),
    burnedToZero: f.about('Tokens that went to the zero address, and withdrawals.', TokenAmountSchema),
    difference: f.about('What is left; zero if the check holds.', SignedTokenAmountSchema),
    ok: f.bool('Whether the rows shown and the transfers of all other addresses add up to mints less burns.'),
  }),
})

const changeShape = {
  pct: z.nullable(f.number('Change in percent; null if the previous value is 0.')),
  noPrior: f.bool('Whether the previous value is 0.'),
  zScore: z.nullable(
    f.number('Standard deviations from the mean of the trailing windows; null if there are too few.'),
  ),
}

const CountMetricSchema = f.model('CountMetric', 'A count in this window and the previous one.', {
  current: f.whole('In this window.'),
  previous: f.whole('In the window before.'),
  delta: f.about('Difference.', z.int()),
  ...changeShape,
})

const AmountMetricSchema = f.model('AmountMetric', 'An amount in this window and the previous one.', {
  current: f.about('In this window.', TokenAmountSchema),
  previous: f.about('In the window before.', TokenAmountSchema),
  delta: f.about('Difference.', SignedTokenAmountSchema),
  ...changeShape,
})

export const MomentumSchema = f.model('Momentum', 'A window of a token, and the one before it.', {
  ...answerShape,
  previousWindow: f.group('The window of equal time before this one.', {
    fromBlock: f.whole('First block.'),
    toBlock: f.about('Last block.', z.int()),
    fromTime: z.nullable(f.time('Time of the first block, UTC; null if it has no block.')),
    toTime: z.nullable(f.time('Time of the last block, UTC; null if it has no block.')),
    complete: f.bool('Whether all of its blocks were read, the final ones twice with the same result.'),
  }),
  trailingWindows: f.whole('Number of earlier windows that the z-scores compare with.'),
  metrics: f.group('Each figure in both windows.', {
    ...figures(CountMetricSchema, AmountMetricSchema),
    mint: f.about('Created, by deposits as well.', AmountMetricSchema),
    burn: f.about('Destroyed, by withdrawals as well.', AmountMetricSchema),
  }),
  lowSample: f.bool('Whether one of the windows has too few transfers to compare.'),
  direction: f.group('Where the token goes, by a stated rule.', {
    word: f.oneOf('The direction.', ['rising', 'falling', 'mixed', 'flat', 'unclear']),
    ruleId: f.text('Id of the rule.'),
    rule: f.text('The rule in one sentence.'),
  }),
})

export type Pulse = z.infer<typeof PulseSchema>
export type Whales = z.infer<typeof WhalesSchema>
export type FlowRow = z.infer<typeof FlowRowSchema>
export type Flow = z.infer<typeof FlowSchema>
export type CountMetric = z.infer<typeof CountMetricSchema>
export type AmountMetric = z.infer<typeof AmountMetricSchema>
export type Momentum = z.infer<typeof MomentumSchema>
