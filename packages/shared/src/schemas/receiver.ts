import * as z from 'zod/mini'
import * as f from './fields.ts'

/** Minimum number of distinct payers of an established receiver. */
export const ESTABLISHED_PAYERS = 10
/** Minimum number of receipts of an established receiver. */
export const ESTABLISHED_RECEIPTS = 50

/** Category of a receiver, as the score specification defines it. */
export type ReceiverCategory = 'established' | 'dormant' | 'blank'

const ReceiptCountsSchema = z.object({
  receipts30d: f.whole('Receipts of the last 30 days.'),
  receipts90d: f.whole('Receipts of the last 90 days.'),
  payers30d: f.whole('Distinct payers of the last 30 days.'),
  payers90d: f.whole('Distinct payers of the last 90 days.'),
})

export const ReceiverFactsSchema = f.model(
  'ReceiverFacts',
  'On-chain facts about a receiver, from historyFrom to blockNumber. Counts are of USDC receipts and leave out mints and payers that the receiver funded, directly or through one other address; `unadjusted` counts all, mints as of one payer.',
  {
    address: f.text('Address of the receiver.'),
    network: f.text('Network as CAIP-2 id.'),
    category: z.nullable(f.oneOf('Activity; null if it could not be decided.', ['established', 'dormant'])),
    isContract: z.nullable(f.bool('Whether the address has code; null if it could not be read.')),
    historyFrom: f.group('First block that was read.', {
      time: f.time('Its time, UTC.'),
      block: z.nullable(f.whole('Its number; null in records made before it was kept.')),
    }),
    wholeHistory: f.bool('Whether the whole life of the token was read.'),
    receiptsEver: z.nullable(f.whole('Receipts from all payers; null unless wholeHistory.')),
    firstReceiptAt: z.nullable(f.time('Time of the first receipt, UTC; null unless wholeHistory.')),
    lastReceiptAt: z.nullable(f.time('Time of the last receipt, UTC; null if none is known.')),
    lastOutflowAt: z.nullable(f.time('Time of its last transfer of USDC, UTC; null if none is known.')),
    ...ReceiptCountsSchema.shape,
    unadjusted: f.about(
      'The same counts with all payers; null in records made before they were kept.',
      z.nullable(ReceiptCountsSchema),
    ),
    selfFundedPayers: f.whole('Payers left out because the receiver had sent them USDC.'),
    cyclePayers: f.whole('Payers left out because an address that the receiver funded had sent them USDC.'),
    sanctions: z.nullable(
      f.group('Answer of the on-chain sanctions oracle at this block; null if none was asked.', {
        contract: f.text('Address of the oracle.'),
        isListed: z.nullable(f.bool('Whether it lists the receiver; null without a clear answer.')),
      }),
    ),
    sharedByHosts: z.nullable(f.whole('Audited hosts that name this receiver now; null if not known.')),
    blockNumber: f.whole('Last block that was read.'),
  },
)

export type ReceiverFacts = z.infer<typeof ReceiverFactsSchema>
