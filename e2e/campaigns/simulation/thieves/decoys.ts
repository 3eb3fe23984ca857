import { bad, END, type Kind, stolen } from '../parts.ts'
import { addressOf } from '../world/names.ts'
import type { Entry } from '../world/types.ts'

const ZERO = '0x0000000000000000000000000000000000000000'
/** Fifty dollars in USDC. */
const DEAR = '50000000'
const OPERATOR = addressOf('facilitator')

/** Offers whose price cannot be compared: a token of nobody's list, and the coin of the network. */
export const UNPRICED: readonly ((entry: Entry) => Entry)[] = [
  (entry) => ({
    ...entry,
    asset: addressOf('a token without a price'),
    amountAtomic: `5${'0'.repeat(20)}`,
    extra: { name: 'Token', version: '1' },
  }),
  (entry) => ({ ...entry, asset: ZERO, amountAtomic: `2${'0'.repeat(17)}`, extra: {} }),
]

/** Offers whose amount is the most that may be taken. */
export const MAXIMA: readonly ((entry: Entry, amountAtomic: string) => Entry)[] = [
  (entry, amountAtomic) => ({
    ...entry,
    amountAtomic,
    scheme: 'upto',
    extra: { ...entry.extra, assetTransferMethod: 'permit2', facilitatorAddress: OPERATOR },
  }),
  (entry, amountAtomic) => ({
    ...entry,
    amountAtomic,
    scheme: 'batch-settlement',
    extra: { ...entry.extra, receiverAuthorizer: OPERATOR, withdrawDelay: 900 },
  }),
  (entry, amountAtomic) => ({
    ...entry,
    amountAtomic,
    scheme: 'auth-capture',
    extra: {
      ...entry.extra,
      captureAuthorizer: OPERATOR,
      receiverAuthorizer: entry.payTo,
      captureDeadline: 1_893_456_000,
      refundDeadline: 1_896_048_000,
      feeRecipient: entry.payTo,
      minFeeBps: 0,
      maxFeeBps: 100,
    },
  }),
]

/** Hosts with offers that lose more than the one that is shown. */
export const DECOYS: readonly Kind[] = [
  bad('decoy-without-price', 4, ({ index, day, host, entry }) => {
    const decoy = UNPRICED[index % UNPRICED.length]?.(stolen(host, entry)) ?? entry
    return {
      wire: 'v2',
      from: index < 2 ? 0 : day,
      change: { entries: index % 2 === 0 ? [decoy, entry] : [entry, decoy] },
      wrong: { verdict: 'caution', flags: ['price_incomparable', 'terms_unproven'] },
    }
  }),
  bad('dear-maximum', 3, ({ index, entry }) => ({
    wire: 'v2',
    from: 0,
    change: { entries: [MAXIMA[index % MAXIMA.length]?.(entry, DEAR) ?? entry, entry] },
    wrong: { verdict: 'caution', flags: ['price_high'] },
    theft: [{ fromDay: 0, toDay: END, aboveAtomic: '1000000' }],
  })),
]
