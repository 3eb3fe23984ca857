import * as z from 'zod/mini'
import { about, CountSchema, named, TimestampSchema } from '../primitives.ts'

const ReceiptCountsSchema = z.object({
  receipts30d: about('Receipts of the last 30 days.', CountSchema),
  receipts90d: about('Receipts of the last 90 days.', CountSchema),
  payers30d: about('Distinct payers of the last 30 days.', CountSchema),
  payers90d: about('Distinct payers of the last 90 days.', CountSchema),
})

export const ReceiverFactsSchema = named(
  'ReceiverFacts',
  'On-chain facts about a receiver, from historyFrom to blockNumber. Counts are of USDC receipts and leave out mints and payers that the receiver funded, directly or through one other address; `unadjusted` counts all, mints as of one payer.',
  z.object({
    address: about('Address of the receiver.', z.string()),
    network: about('Network as CAIP-2 id.', z.string()),
    category: about(
      'established or dormant; null if it could not be decided.',
      z.nullable(z.enum(['established', 'dormant'])),
    ),
    isContract: about('Whether the address has code; null if it could not be read.', z.nullable(z.boolean())),
    historyFrom: about(
      'First block that was read.',
      z.object({
        time: about('Its time, UTC.', TimestampSchema),
        block: about('Its number; null in records made before it was kept.', z.nullable(CountSchema)),
      }),
    ),
    wholeHistory: about('Whether the whole life of the token was read.', z.boolean()),
    receiptsEver: about(
      'Receipts from all payers; null unless the whole life of the token was read.',
      z.nullable(CountSchema),
    ),
    firstReceiptAt: about(
      'Time of the first receipt, UTC; null unless the whole life of the token was read.',
      z.nullable(TimestampSchema),
    ),
    lastReceiptAt: about(
      'Time of the last receipt, UTC; null if none is known.',
      z.nullable(TimestampSchema),
    ),
    lastOutflowAt: about(
      'Time of the last transfer of USDC by the receiver, UTC; null if none is known.',
      z.nullable(TimestampSchema),
    ),
    ...ReceiptCountsSchema.shape,
    unadjusted: about(
      'The same counts with all payers; null in records made before they were kept.',
      z.nullable(ReceiptCountsSchema),
    ),
    selfFundedPayers: about('Payers left out because the receiver had sent them USDC.', CountSchema),
    cyclePayers: about(
      'Payers left out because an address that the receiver funded had sent them USDC.',
      CountSchema,
    ),
    sanctions: about(
      'Answer of the on-chain sanctions oracle at this block; null if none was asked.',
      z.nullable(
        z.object({
          contract: about('Address of the oracle.', z.string()),
          isListed: about(
            'Whether it lists the receiver; null without a clear answer.',
            z.nullable(z.boolean()),
          ),
        }),
      ),
    ),
    sharedByHosts: about(
      'Audited hosts whose endpoints currently name this receiver; null if not known.',
      z.nullable(CountSchema),
    ),
    blockNumber: about('Last block that was read.', CountSchema),
  }),
)

export type ReceiverFacts = z.infer<typeof ReceiverFactsSchema>
