import { times } from '../honest/honestParts.ts'
import { addressOf, SEPOLIA, usdcEntry } from '../names.ts'
import type { Claim, Entry } from '../types.ts'
import {
  type BadKind,
  type Change,
  entryOf,
  type Maker,
  nameOf,
  OWN,
  sometimes,
  stolen,
  turning,
} from './badParts.ts'

const BAIT: Claim = { ...OWN, price: 'stays' }
const ZERO = '0x0000000000000000000000000000000000000000'

/**
 * Raises the price while the seller keeps refreshing its listing at the old one. By the score's definition this is bait
 * only after 24 h. Before, it is an ordinary rise.
 */
const bait =
  (amounts: (entry: Entry) => Change): Maker =>
  (kind, index, day) =>
    turning(
      kind,
      index,
      day,
      amounts(entryOf(nameOf(kind, index), index)),
      { verdict: 'avoid', flags: ['price_bait'], visibleFromDay: day + 1 },
      { claim: BAIT },
    )

const wrongOffer =
  (flag: string, change: (entry: Entry) => Entry): Maker =>
  (kind, index, day) => {
    const entry = change(entryOf(nameOf(kind, index), index))
    return turning(
      kind,
      index,
      sometimes(index, day),
      { entries: [entry] },
      { verdict: 'avoid', flags: [flag] },
    )
  }

/** Hosts with wrong prices or offers. */
export const BAD_TERMS: readonly BadKind[] = [
  { kind: 'bait', count: 8, make: bait((entry) => ({ entries: [times(entry, 3)] })) },
  {
    kind: 'bait-in-small-steps',
    count: 3,
    make: bait((entry) => ({
      amounts: { anyOf: [3, 3.1, 3.2, 3.3, 3.4].map((factor) => times(entry, factor).amountAtomic) },
    })),
  },
  {
    kind: 'testnet',
    count: 6,
    make: wrongOffer('network_testnet', ({ payTo, amountAtomic }) => usdcEntry(SEPOLIA, payTo, amountAtomic)),
  },
  {
    kind: 'other-token',
    count: 4,
    make: wrongOffer('asset_unknown', (entry) => ({
      ...entry,
      asset: addressOf('a token that looks like USDC'),
    })),
  },
  {
    kind: 'wants-allowance',
    count: 3,
    make: wrongOffer('scheme_unsafe', (entry) => ({
      ...entry,
      extra: { ...entry.extra, assetTransferMethod: 'approve' },
    })),
  },
  {
    kind: 'pays-nobody',
    count: 2,
    make: wrongOffer('receiver_unverified', (entry) => ({ ...entry, payTo: ZERO })),
  },
  {
    kind: 'pays-the-token',
    count: 2,
    make: wrongOffer('receiver_unverified', (entry) => ({ ...entry, payTo: entry.asset })),
  },
  {
    kind: 'disagrees',
    count: 2,
    make: (kind, index, day) => {
      const entry = entryOf(nameOf(kind, index), index)
      return turning(
        kind,
        index,
        sometimes(index, day),
        { entries: [entry], bodyEntries: [times(entry, 10)] },
        { verdict: 'caution', flags: ['terms_disagree'] },
        { wire: 'both' },
      )
    },
  },
  {
    kind: 'overpriced',
    count: 2,
    make: (kind, index, day) =>
      turning(
        kind,
        index,
        sometimes(index, day),
        { entries: [times(entryOf(nameOf(kind, index), index), 60)] },
        { verdict: 'caution', flags: ['price_high'] },
      ),
  },
  {
    kind: 'never-paid',
    count: 2,
    // A claim only counts after a week.
    make: (kind, index) =>
      turning(kind, index, 0, {}, { verdict: 'caution', flags: ['receiver_never_paid'], visibleFromDay: 7 }),
  },
  {
    kind: 'swap-as-rotation',
    count: 2,
    make: (kind, index, day) => {
      const pool = [addressOf(nameOf(kind, index)), stolen(kind, index).payTo]
      return turning(
        kind,
        index,
        day,
        { receivers: { pool } },
        { verdict: 'caution', flags: ['payto_rotates', 'payto_changed'] },
      )
    },
  },
  {
    kind: 'names-another-origin',
    count: 5,
    make: (kind, index, day) =>
      turning(
        kind,
        index,
        sometimes(index, day),
        { resource: 'https://well-known-shop.example/api' },
        { verdict: 'caution', flags: ['resource_mismatch'] },
      ),
  },
]
