import * as z from 'zod/mini'
import { CountSchema, HashSchema, named, PercentSchema, TimestampSchema } from '../primitives.ts'
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
    transfers: CountSchema,
    zeroValueTransfers: CountSchema,
    uniqueSenders: CountSchema,
    uniqueReceivers: CountSchema,
    uniqueAddresses: CountSchema,
    volume: TokenAmountSchema,
    volumeWithoutRoundTrips: TokenAmountSchema,
    mint: z.object({ count: CountSchema, ...amountShape }),
    burn: z.object({ count: CountSchema, ...amountShape }),
    median: TokenAmountSchema,
    p95: TokenAmountSchema,
    largest: TokenAmountSchema,
    top10SharePct: PercentSchema,
    transfersPerBlock: z.number().check(z.minimum(0)),
    busiestBlock: z.nullable(z.object({ block: CountSchema, transfers: CountSchema })),
    series: z.array(
      z.object({
        fromBlock: z.nullable(CountSchema),
        toBlock: z.nullable(CountSchema),
        transfers: CountSchema,
        volume: TokenAmountSchema,
      }),
    ),
  }),
)

export const WhalesSchema = named(
  'Whales',
  'Large transfers of a token over a window of blocks, largest first.',
  z.object({
    ...answerShape,
    threshold: z.object({
      ...amountShape,
      rule: z.enum(['given', 'p99', 'tenth-largest']),
      statement: z.string(),
    }),
    matched: CountSchema,
    matchedVolume: TokenAmountSchema,
    limit: CountSchema,
    count: CountSchema,
    truncated: z.boolean(),
    rows: z.array(
      z.object({
        txHash: HashSchema,
        logIndex: CountSchema,
        block: CountSchema,
        time: TimestampSchema,
        from: TokenAddressSchema,
        to: TokenAddressSchema,
        ...amountShape,
        shareOfVolumePct: PercentSchema,
      }),
    ),
    totals: z.object({
      intoContracts: TokenAmountSchema,
      outOfContracts: TokenAmountSchema,
      mint: TokenAmountSchema,
      burn: TokenAmountSchema,
    }),
  }),
)

export const FlowRowSchema = named(
  'FlowRow',
  'Tokens that one address received and sent.',
  z.object({
    ...addressShape,
    in: TokenAmountSchema,
    out: TokenAmountSchema,
    net: SignedTokenAmountSchema,
    inCount: CountSchema,
    outCount: CountSchema,
    counterparties: CountSchema,
  }),
)

export const FlowSchema = named(
  'Flow',
  'Net flow of a token by address over a window of blocks. `sumToZero.ok`: the rows as shown, and the transfers of all other addresses, add up to mints less burns.',
  z.object({
    ...answerShape,
    addresses: CountSchema,
    limit: CountSchema,
    truncated: z.boolean(),
    topAccumulators: z.array(FlowRowSchema),
    topDistributors: z.array(FlowRowSchema),
    totals: z.object({
      transfers: CountSchema,
      volume: TokenAmountSchema,
      accumulated: TokenAmountSchema,
      distributed: TokenAmountSchema,
      mint: TokenAmountSchema,
      burn: TokenAmountSchema,
    }),
    sumToZero: z.object({
      netOfAddresses: SignedTokenAmountSchema,
      listed: SignedTokenAmountSchema,
      others: SignedTokenAmountSchema,
      minted: TokenAmountSchema,
      burnedToZero: TokenAmountSchema,
      difference: SignedTokenAmountSchema,
      ok: z.boolean(),
    }),
  }),
)

const changeShape = {
  pct: z.nullable(z.number()),
  noPrior: z.boolean(),
  zScore: z.nullable(z.number()),
}

export const CountMetricSchema = named(
  'CountMetric',
  'A count in this window and the previous one. If the previous one is 0, `pct` is null and `noPrior` true.',
  z.object({ current: CountSchema, previous: CountSchema, delta: z.int(), ...changeShape }),
)

export const AmountMetricSchema = named(
  'AmountMetric',
  'An amount in this window and the previous one. If the previous one is 0, `pct` is null and `noPrior` true.',
  z.object({
    current: TokenAmountSchema,
    previous: TokenAmountSchema,
    delta: SignedTokenAmountSchema,
    ...changeShape,
  }),
)

export const MomentumSchema = named(
  'Momentum',
  'A window of a token compared with the one of equal time before it.',
  z.object({
    ...answerShape,
    previousWindow: z.object({
      fromBlock: CountSchema,
      toBlock: z.int(),
      fromTime: z.nullable(TimestampSchema),
      toTime: z.nullable(TimestampSchema),
      complete: z.boolean(),
    }),
    trailingWindows: CountSchema,
    metrics: z.object({
      transfers: CountMetricSchema,
      uniqueSenders: CountMetricSchema,
      uniqueReceivers: CountMetricSchema,
      uniqueAddresses: CountMetricSchema,
      volume: AmountMetricSchema,
      volumeWithoutRoundTrips: AmountMetricSchema,
      mint: AmountMetricSchema,
      burn: AmountMetricSchema,
      median: AmountMetricSchema,
      largest: AmountMetricSchema,
    }),
    lowSample: z.boolean(),
    direction: z.object({
      word: z.enum(['rising', 'falling', 'mixed', 'flat', 'unclear']),
      ruleId: z.string(),
      rule: z.string(),
    }),
  }),
)

export type Pulse = z.infer<typeof PulseSchema>
export type Whales = z.infer<typeof WhalesSchema>
export type FlowRow = z.infer<typeof FlowRowSchema>
export type Flow = z.infer<typeof FlowSchema>
export type CountMetric = z.infer<typeof CountMetricSchema>
export type AmountMetric = z.infer<typeof AmountMetricSchema>
export type Momentum = z.infer<typeof MomentumSchema>
