import * as z from 'zod/mini'
import { CountSchema, named, TimestampSchema } from '../primitives.ts'

export const ReceiverFactsSchema = named(
  'ReceiverFacts',
  'What the chain says about a receiver; counts are of USDC receipts.',
  z.object({
    address: z.string(),
    network: z.string(),
    category: z.nullable(z.enum(['established', 'dormant'])),
    isContract: z.nullable(z.boolean()),
    firstReceiptAt: z.nullable(TimestampSchema),
    lastReceiptAt: z.nullable(TimestampSchema),
    /** When it last sent USDC on; null where none is known. */
    lastOutflowAt: z.nullable(TimestampSchema),
    receipts30d: CountSchema,
    receipts90d: CountSchema,
    payers30d: CountSchema,
    payers90d: CountSchema,
    selfFundedPayers: CountSchema,
    /** Audited hosts with an endpoint that names this receiver now; null where that is not known. */
    sharedByHosts: z.nullable(CountSchema),
    blockNumber: CountSchema,
  }),
)

export type ReceiverFacts = z.infer<typeof ReceiverFactsSchema>
