import * as z from 'zod/mini'
import { about, CountSchema, HashSchema, named, PercentSchema, TimestampSchema } from '../primitives.ts'
import { COMMON } from './common.ts'
import {
  addressShape,
  amountShape,
  answerShape,
  SignedTokenAmountSchema,
  TokenAddressSchema,
  TokenAmountSchema,
} from './tokenAnswer.ts'

export const PulseSchema = named(
  'Pulse',
  'Activity of a token over a window of blocks.',
  z.object({
    ...answerShape,
    transfers: about(COMMON.transfers, CountSchema),
    zeroValueTransfers: about('Number of transfers of zero tokens.', CountSchema),
    uniqueSenders: about(COMMON.uniqueSenders, CountSchema),
    uniqueReceivers: about(COMMON.uniqueReceivers, CountSchema),
    uniqueAddresses: about(COMMON.uniqueAddresses, CountSchema),
    volume: about(COMMON.volume, TokenAmountSchema),
    volumeWithoutRoundTrips: about(COMMON.volumeWithoutRoundTrips, TokenAmountSchema),
    mint: about(
      'Tokens created, by deposits as well.',
      z.object({ count: about('Number of mints.', CountSchema), ...amountShape }),
    ),
    burn: about(
      'Tokens destroyed, by withdrawals as well.',
      z.object({ count: about('Number of burns.', CountSchema), ...amountShape }),
    ),
    median: about(COMMON.median, TokenAmountSchema),
    p95: about('95th percentile of transfers.', TokenAmountSchema),
    largest: about(COMMON.largest, TokenAmountSchema),
    top10SharePct: about(
      'Share of the ten addresses that moved most, in percent of the volume.',
      PercentSchema,
    ),
    transfersPerBlock: about('Mean number of transfers in a block.', z.number().check(z.minimum(0))),
    busiestBlock: about(
      'Block with the most transfers; null without transfers.',
      z.nullable(
        z.object({
          block: about('Its number.', CountSchema),
          transfers: about('Its transfers.', CountSchema),
        }),
      ),
    ),
    series: about(
      'The window in 24 parts of equal time, oldest first.',
      z.array(
        z.object({
          fromBlock: about('First block of the part; null if it holds none.', z.nullable(CountSchema)),
          toBlock: about('Last block of the part; null if it holds none.', z.nullable(CountSchema)),
          transfers: about(COMMON.transfers, CountSchema),
          volume: about(COMMON.volume, TokenAmountSchema),
        }),
      ),
    ),
  }),
)

export const WhalesSchema = named(
  'Whales',
  'Large transfers of a token over a window of blocks, largest first.',
  z.object({
    ...answerShape,
    threshold: about(
      'From which amount on a transfer is large.',
      z.object({
        ...amountShape,
        rule: about(
          'How the threshold came about: given by the query, or derived.',
          z.enum(['given', 'p99', 'tenth-largest']),
        ),
        statement: about('The rule in one sentence.', z.string()),
      }),
    ),
    matched: about('Number of large transfers, in this answer or not.', CountSchema),
    matchedVolume: about('Sum of all large transfers.', TokenAmountSchema),
    limit: about(COMMON.limit, CountSchema),
    count: about(COMMON.count, CountSchema),
    truncated: about(COMMON.truncated, z.boolean()),
    rows: about(
      'Large transfers, largest first.',
      z.array(
        z.object({
          txHash: about('Hash of the transaction.', HashSchema),
          logIndex: about('Index of the log within its block.', CountSchema),
          block: about('Number of the block.', CountSchema),
          time: about('Time of the block, UTC.', TimestampSchema),
          from: about('Sender of the transfer.', TokenAddressSchema),
          to: about('Receiver of the transfer.', TokenAddressSchema),
          ...amountShape,
          shareOfVolumePct: about("Share in the window's volume, in percent.", PercentSchema),
        }),
      ),
    ),
    totals: about(
      'Sums over all large transfers.',
      z.object({
        intoContracts: about('Into contracts.', TokenAmountSchema),
        outOfContracts: about('Out of contracts.', TokenAmountSchema),
        mint: about('Created, by deposits as well.', TokenAmountSchema),
        burn: about('Destroyed, by withdrawals as well.', TokenAmountSchema),
      }),
    ),
  }),
)

export const FlowRowSchema = named(
  'FlowRow',
  'Tokens that one address received and sent.',
  z.object({
    ...addressShape,
    in: about('Tokens received.', TokenAmountSchema),
    out: about('Tokens sent.', TokenAmountSchema),
    net: about('Received less sent.', SignedTokenAmountSchema),
    inCount: about('Number of transfers received.', CountSchema),
    outCount: about('Number of transfers sent.', CountSchema),
    counterparties: about('Distinct addresses on the other side.', CountSchema),
  }),
)

export const FlowSchema = named(
  'Flow',
  'Net flow of a token by address over a window of blocks. `sumToZero.ok`: the rows as shown, and the transfers of all other addresses, add up to mints less burns.',
  z.object({
    ...answerShape,
    addresses: about('Number of addresses that sent or received.', CountSchema),
    limit: about('Maximum number of rows in each list.', CountSchema),
    truncated: about('Whether a list leaves rows out.', z.boolean()),
    topAccumulators: about('Addresses that gained most, largest gain first.', z.array(FlowRowSchema)),
    topDistributors: about('Addresses that lost most, largest loss first.', z.array(FlowRowSchema)),
    totals: about(
      'Sums over all addresses.',
      z.object({
        transfers: about(COMMON.transfers, CountSchema),
        volume: about(COMMON.volume, TokenAmountSchema),
        accumulated: about('Sum of all gains.', TokenAmountSchema),
        distributed: about('Sum of all losses.', TokenAmountSchema),
        mint: about('Created, by deposits as well.', TokenAmountSchema),
        burn: about('Destroyed, by withdrawals as well.', TokenAmountSchema),
      }),
    ),
    sumToZero: about(
      'Check that nothing is missing: all nets add up to mints less burns.',
      z.object({
        netOfAddresses: about('Sum of the nets of all addresses.', SignedTokenAmountSchema),
        listed: about('Sum of the nets of the rows shown.', SignedTokenAmountSchema),
        others: about('Sum of the nets of all other addresses.', SignedTokenAmountSchema),
        minted: about('Tokens that came from the zero address, and deposits.', TokenAmountSchema),
        burnedToZero: about('Tokens that went to the zero address, and withdrawals.', TokenAmountSchema),
        difference: about('What is left; zero if the check holds.', SignedTokenAmountSchema),
        ok: about('Whether the check holds.', z.boolean()),
      }),
    ),
  }),
)

const changeShape = {
  pct: about('Change in percent; null if the previous value is 0.', z.nullable(z.number())),
  noPrior: about('Whether the previous value is 0.', z.boolean()),
  zScore: about(
    'Distance from the mean of the trailing windows in standard deviations; null if there are too few.',
    z.nullable(z.number()),
  ),
}

export const CountMetricSchema = named(
  'CountMetric',
  'A count in this window and the previous one. If the previous one is 0, `pct` is null and `noPrior` true.',
  z.object({
    current: about('In this window.', CountSchema),
    previous: about('In the window before.', CountSchema),
    delta: about('Difference.', z.int()),
    ...changeShape,
  }),
)

export const AmountMetricSchema = named(
  'AmountMetric',
  'An amount in this window and the previous one. If the previous one is 0, `pct` is null and `noPrior` true.',
  z.object({
    current: about('In this window.', TokenAmountSchema),
    previous: about('In the window before.', TokenAmountSchema),
    delta: about('Difference.', SignedTokenAmountSchema),
    ...changeShape,
  }),
)

export const MomentumSchema = named(
  'Momentum',
  'A window of a token compared with the one of equal time before it.',
  z.object({
    ...answerShape,
    previousWindow: about(
      'The window of equal time before this one.',
      z.object({
        fromBlock: about('First block.', CountSchema),
        toBlock: about('Last block.', z.int()),
        fromTime: about(
          'Time of the first block, UTC; null if it has no block.',
          z.nullable(TimestampSchema),
        ),
        toTime: about('Time of the last block, UTC; null if it has no block.', z.nullable(TimestampSchema)),
        complete: about('Whether all of its blocks were read.', z.boolean()),
      }),
    ),
    trailingWindows: about('Number of earlier windows that the z-scores compare with.', CountSchema),
    metrics: about(
      'Each figure in both windows.',
      z.object({
        transfers: about(COMMON.transfers, CountMetricSchema),
        uniqueSenders: about(COMMON.uniqueSenders, CountMetricSchema),
        uniqueReceivers: about(COMMON.uniqueReceivers, CountMetricSchema),
        uniqueAddresses: about(COMMON.uniqueAddresses, CountMetricSchema),
        volume: about(COMMON.volume, AmountMetricSchema),
        volumeWithoutRoundTrips: about(COMMON.volumeWithoutRoundTrips, AmountMetricSchema),
        mint: about('Tokens created, by deposits as well.', AmountMetricSchema),
        burn: about('Tokens destroyed, by withdrawals as well.', AmountMetricSchema),
        median: about(COMMON.median, AmountMetricSchema),
        largest: about(COMMON.largest, AmountMetricSchema),
      }),
    ),
    lowSample: about('Whether one of the windows has too few transfers to compare.', z.boolean()),
    direction: about(
      'Where the token goes, by a stated rule.',
      z.object({
        word: about(
          'rising, falling, mixed, flat or unclear.',
          z.enum(['rising', 'falling', 'mixed', 'flat', 'unclear']),
        ),
        ruleId: about('Id of the rule.', z.string()),
        rule: about('The rule in one sentence.', z.string()),
      }),
    ),
  }),
)

export type Pulse = z.infer<typeof PulseSchema>
export type Whales = z.infer<typeof WhalesSchema>
export type FlowRow = z.infer<typeof FlowRowSchema>
export type Flow = z.infer<typeof FlowSchema>
export type CountMetric = z.infer<typeof CountMetricSchema>
export type AmountMetric = z.infer<typeof AmountMetricSchema>
export type Momentum = z.infer<typeof MomentumSchema>
