import { POLYGON, usdcEntry } from '../names.ts'
import type { SellerRequest } from '../types.ts'
import { asks, baseEntry, type HonestKind, honest, type Maker, OWN, times } from './honestParts.ts'

/** Rises and cuts, some of them in steps. */
const PRICE_CHANGES = [
  [1.1],
  [0.7],
  [1.5],
  [2],
  [0.5, 0.4],
  [1.15, 1.3, 1.5],
  [1.2, 1],
  [3],
  [0.9, 0.8, 0.7],
  [1.25],
]

const priceChange: Maker = (index, day) => {
  const entry = baseEntry('price-change', index)
  const factors = PRICE_CHANGES[index % PRICE_CHANGES.length] ?? []
  return honest('price-change', index, {
    phases: [asks(0, [entry]), ...factors.map((factor, step) => asks(day + step, [times(entry, factor)]))],
    knownFlags: ['price_drift'],
  })
}

/** The base price in the region of the directory; abroad, or where the prober sits, a tax or a surcharge comes on top. */
const regionalPrice: Maker = (index) => {
  const entry = baseEntry('regional-price', index)
  const [region, factor] = ([['home', 1.19] as const, ['away', 1.5] as const] as const)[index % 2] ?? [
    'home',
    1.19,
  ]
  const shown = { to: (request: SellerRequest) => request.region === region, entries: [times(entry, factor)] }
  return honest('regional-price', index, { phase: { shown }, knownFlags: ['price_drift'] })
}

/** Changes its price, or adds a network, behind a cache that keeps 402 responses, also per client or place. */
const cached402: Maker = (index, day) => {
  const entry = baseEntry('cached-402', index)
  const after =
    index % 4 === 1 ? [entry, usdcEntry(POLYGON, entry.payTo, entry.amountAtomic)] : [times(entry, 1.25)]
  const minutes = [240, 60, 20, 300][index % 4] ?? 5
  return honest('cached-402', index, {
    phases: [asks(0, [entry]), asks(day, after)],
    cache: { minutes, points: 1 + (index % 3), ...(index % 3 === 0 && { varyBy: 'user-agent' }) },
    knownFlags: ['price_drift', 'terms_disagree'],
  })
}

/** Honest hosts with several or changing prices. */
export const HONEST_PRICES: readonly HonestKind[] = [
  { kind: 'price-change', count: 10, make: priceChange },
  {
    kind: 'stale-listing',
    count: 8,
    make: (index, day) => {
      const entry = baseEntry('stale-listing', index)
      return honest('stale-listing', index, {
        phases: [asks(0, [entry]), asks(day, [times(entry, 1.25)])],
        claim: { ...OWN, price: 'stays', isRefreshed: false },
        knownFlags: ['price_drift'],
      })
    },
  },
  {
    kind: 'dynamic-price',
    count: 3,
    make: (index) =>
      honest('dynamic-price', index, {
        phase: {
          amounts: {
            anyOf:
              index === 0 ? ['9000', '14000'] : Array.from({ length: 9 }, (_, n) => `${8000 + 2000 * n}`),
          },
        },
        knownFlags: ['price_drift'],
      }),
  },
  {
    kind: 'day-and-night-price',
    count: 2,
    make: (index) =>
      honest('day-and-night-price', index, {
        phase: { amounts: { day: '15000', night: '9000' } },
        knownFlags: ['price_drift'],
      }),
  },
  {
    kind: 'tiers',
    count: 8,
    make: (index) => {
      const entry = baseEntry('tiers', index)
      const tiers = [1, 2, 5].slice(0, 2 + (index % 2)).map((factor) => times(entry, factor))
      const entries = index % 4 < 2 ? tiers : tiers.toReversed()
      return honest('tiers', index, { phase: { entries }, knownFlags: ['price_drift'] })
    },
  },
  { kind: 'regional-price', count: 8, make: regionalPrice },
  { kind: 'cached-402', count: 12, make: cached402 },
]
