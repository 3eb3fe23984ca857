import * as z from 'zod/mini'
import { CountSchema, named, TimestampSchema } from '../primitives.ts'

const ReceiptCountsSchema = z.object({
  receipts30d: CountSchema,
  receipts90d: CountSchema,
  payers30d: CountSchema,
  payers90d: CountSchema,
})

export const ReceiverFactsSchema = named(
  'ReceiverFacts',
  'On-chain facts about a receiver, from historyFrom to blockNumber. Counts are of USDC receipts and leave out mints and payers that the receiver funded, directly or through one other address; `unadjusted` counts all, mints as of one payer.',
  z.object({
    address: z.string(),
    network: z.string(),
    category: z.nullable(z.enum(['established', 'dormant'])),
    isContract: z.nullable(z.boolean()),
    /** First block that was read; the block is null in records made before it was kept. */
    historyFrom: z.object({ time: TimestampSchema, block: z.nullable(CountSchema) }),
    /** Whether the whole life of the token was read. */
    wholeHistory: z.boolean(),
    /** Receipts from all payers; null unless the whole life of the token was read. */
    receiptsEver: z.nullable(CountSchema),
    /** Null unless the whole life of the token was read. */
    firstReceiptAt: z.nullable(TimestampSchema),
    lastReceiptAt: z.nullable(TimestampSchema),
    /** Last transfer of USDC by the receiver; null if none is known. */
    lastOutflowAt: z.nullable(TimestampSchema),
    ...ReceiptCountsSchema.shape,
    /** Null in records made before they were kept. */
    unadjusted: z.nullable(ReceiptCountsSchema),
    /** Payers left out because the receiver had sent them USDC. */
    selfFundedPayers: CountSchema,
    /** Payers left out because an address that the receiver funded had sent them USDC. */
    cyclePayers: CountSchema,
    /** The sanctions oracle that was asked at blockNumber, and its answer; null without a clear one. Null if none was asked. */
    sanctions: z.nullable(z.object({ contract: z.string(), isListed: z.nullable(z.boolean()) })),
    /** Number of audited hosts whose endpoints currently name this receiver; null if not known. */
    sharedByHosts: z.nullable(CountSchema),
    blockNumber: CountSchema,
  }),
)

export type ReceiverFacts = z.infer<typeof ReceiverFactsSchema>
