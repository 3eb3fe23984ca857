import * as z from 'zod/mini'
import { CountSchema, named, TimestampSchema } from '../primitives.ts'

export const ReceiverFactsSchema = named(
  'ReceiverFacts',
  'On-chain facts about a receiver. Counts are of USDC receipts.',
  z.object({
    address: z.string(),
    network: z.string(),
    category: z.nullable(z.enum(['established', 'dormant'])),
    isContract: z.nullable(z.boolean()),
    firstReceiptAt: z.nullable(TimestampSchema),
    lastReceiptAt: z.nullable(TimestampSchema),
    /** Last transfer of USDC by the receiver; null if none is known. */
    lastOutflowAt: z.nullable(TimestampSchema),
    receipts30d: CountSchema,
    receipts90d: CountSchema,
    payers30d: CountSchema,
    payers90d: CountSchema,
    selfFundedPayers: CountSchema,
    /** Number of audited hosts whose endpoints currently name this receiver; null if not known. */
    sharedByHosts: z.nullable(CountSchema),
    blockNumber: CountSchema,
  }),
)

export type ReceiverFacts = z.infer<typeof ReceiverFactsSchema>
