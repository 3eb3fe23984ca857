import { asks, honest, type Kind, OWN, times } from '../parts.ts'
import { POLYGON, usdcEntry } from '../world/names.ts'
import type { SellerRequest } from '../world/types.ts'

/** Rises and cuts, some of them in steps. */
const CHANGES = [
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
const knownFlags = ['price_drift']

/** Honest hosts with several or changing prices. */
export const HONEST_PRICES: readonly Kind[] = [
  honest('price-change', 10, ({ index, day, entry }) => {
    const factors = CHANGES[index % CHANGES.length] ?? []
    const changed = factors.map((factor, step) => asks(day + step, [times(entry, factor)]))
    return { phases: [asks(0, [entry]), ...changed], knownFlags }
  }),
  honest('stale-listing', 4, ({ day, entry }) => ({
    phases: [asks(0, [entry]), asks(day, [times(entry, 1.25)])],
    claim: { ...OWN, price: 'stays', isRefreshed: false },
    knownFlags,
  })),
  honest('dynamic-price', 3, ({ index }) => {
    const many = Array.from({ length: 9 }, (_, n) => `${8000 + 2000 * n}`)
    return { phase: { amounts: { anyOf: index === 0 ? ['9000', '14000'] : many } }, knownFlags }
  }),
  honest('day-and-night-price', 2, () => ({
    phase: { amounts: { day: '15000', night: '9000' } },
    knownFlags,
  })),
  honest('tiers', 8, ({ index, entry }) => {
    const tiers = [1, 2, 5].slice(0, 2 + (index % 2)).map((factor) => times(entry, factor))
    return { phase: { entries: index % 4 < 2 ? tiers : tiers.toReversed() }, knownFlags }
  }),
  // The base price in the region of the directory; abroad, or where the prober sits, a tax or a surcharge comes on top.
  honest('regional-price', 8, ({ index, entry }) => {
    const region = index % 2 === 0 ? 'home' : 'away'
    const to = (request: SellerRequest) => request.region === region
    return {
      phase: { shown: { to, entries: [times(entry, index % 2 === 0 ? 1.19 : 1.5)] } },
      knownFlags,
    }
  }),
  // Changes its price, or adds a network, behind a cache that keeps 402 responses, also per client or place.
  honest('cached-402', 12, ({ index, day, entry }) => {
    const polygon = usdcEntry(POLYGON, entry.payTo, entry.amountAtomic)
    const minutes = [240, 60, 20, 300][index % 4] ?? 5
    return {
      phases: [asks(0, [entry]), asks(day, index % 4 === 1 ? [entry, polygon] : [times(entry, 1.25)])],
      cache: { minutes, points: 1 + (index % 3), ...(index % 3 === 0 && { varyBy: 'user-agent' }) },
      knownFlags: ['price_drift', 'terms_disagree', 'terms_new'],
    }
  }),
]
