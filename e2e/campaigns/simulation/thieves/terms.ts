import { asks, bad, type Change, type Kind, OWN, stolen, times } from '../parts.ts'
import { documentOf } from '../world/documents.ts'
import { addressOf, SEPOLIA, usdcEntry } from '../world/names.ts'
import type { Entry } from '../world/types.ts'

const ZERO = '0x0000000000000000000000000000000000000000'

/**
 * Raises the price to more than three times what the seller's own document says. By the score's definition this is bait
 * only after 24 h. Before, it is an ordinary rise.
 */
const bait = (kind: string, count: number, raise: (entry: Entry) => Change): Kind =>
  bad(kind, count, ({ index, day, host, entry }) => {
    const documents = documentOf(index, host, entry)
    return {
      from: day,
      phases: [asks(0, [entry], documents), asks(day, [entry], { ...documents, ...raise(entry) })],
      wrong: { verdict: 'avoid', flags: ['price_bait'], visibleFromDay: day + 1 },
      claim: { ...OWN, calls: 40, price: 'stays' },
    }
  })

const wrongOffer = (kind: string, count: number, flag: string, change: (entry: Entry) => Entry): Kind =>
  bad(kind, count, ({ entry }) => ({
    change: { entries: [change(entry)] },
    wrong: { verdict: 'avoid', flags: [flag] },
  }))

/** Hosts with wrong prices or offers. */
export const BAD_TERMS: readonly Kind[] = [
  bait('bait', 6, (entry) => ({ entries: [times(entry, 4)] })),
  // In a document alone, from the first day on.
  bad('bait-in-document', 6, ({ index, host, entry }) => ({
    from: 0,
    change: { entries: [times(entry, 5)], ...documentOf(index, host, entry) },
    wrong: { verdict: 'avoid', flags: ['price_bait'], visibleFromDay: 1 },
    claim: { ...OWN, directory: 'none' },
  })),
  bait('bait-in-small-steps', 3, (entry) => ({
    amounts: { anyOf: [4, 4.1, 4.2, 4.3, 4.4].map((factor) => times(entry, factor).amountAtomic) },
  })),
  wrongOffer('testnet', 2, 'network_testnet', ({ payTo, amountAtomic }) =>
    usdcEntry(SEPOLIA, payTo, amountAtomic),
  ),
  wrongOffer('other-token', 2, 'asset_unknown', (entry) => ({
    ...entry,
    asset: addressOf('a token that looks like USDC'),
  })),
  wrongOffer('wants-allowance', 2, 'scheme_unsafe', (entry) => ({
    ...entry,
    extra: { ...entry.extra, assetTransferMethod: 'approve' },
  })),
  wrongOffer('pays-nobody', 2, 'receiver_unverified', (entry) => ({ ...entry, payTo: ZERO })),
  wrongOffer('pays-the-token', 2, 'receiver_unverified', (entry) => ({ ...entry, payTo: entry.asset })),
  bad('disagrees', 2, ({ entry }) => ({
    change: { bodyEntries: [times(entry, 10)] },
    wrong: { verdict: 'caution', flags: ['terms_disagree'] },
    wire: 'both',
  })),
  bad('overpriced', 2, ({ entry }) => ({
    change: { entries: [times(entry, 200)] },
    wrong: { verdict: 'caution', flags: ['price_high'] },
  })),
  // Less than three times the own document's price: the 402 says so before anybody pays.
  bad('asks-more-than-document', 4, ({ index, host, entry }) => ({
    from: 0,
    change: {
      entries: [times(entry, [1.5, 2, 2.5, 2.9][index % 4] ?? 2)],
      ...documentOf(index, host, entry),
    },
    wrong: { verdict: 'caution', flags: ['price_differs'] },
    claim: { ...OWN, directory: 'none' },
    theft: [],
  })),
  // A claim only counts after a week.
  bad('never-paid', 2, () => ({
    from: 0,
    wrong: { verdict: 'caution', flags: ['receiver_never_paid'], visibleFromDay: 7 },
  })),
  bad('swap-as-rotation', 2, ({ day, host, entry }) => ({
    from: day,
    change: { receivers: { pool: [entry.payTo, stolen(host, entry).payTo] } },
    // All probes of a day may see the owner's receiver.
    wrong: {
      verdict: 'caution',
      flags: ['receiver_flickers', 'payto_rotates', 'payto_changed'],
      visibleFromDay: 'seen',
    },
  })),
  bad('names-another-origin', 2, () => ({
    change: { resource: 'https://well-known-shop.example/api' },
    wrong: { verdict: 'caution', flags: ['resource_mismatch'] },
  })),
]
