import { asks, honest, type Kind, LISTED, OWN, times } from '../parts.ts'
import { CLIENTS, POLYGON, usdcEntry } from '../world/names.ts'
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

/** Documents of sellers that ask about a cent, as they state prices with conditions. */
const CONDITIONS: readonly ((url: string) => object)[] = [
  (url) => ({ resources: [{ url, price: '$0.002 per 1k tokens, minimum $0.003' }] }),
  (url) => ({ resources: [{ url, price: 'from $0.001' }] }),
  (url) => ({ resources: [{ url, price: '$0.001 - $0.05' }] }),
  (url) => ({ resources: [{ url, price: 'up to $0.02' }] }),
  (url) => ({ resources: [{ url, price: '$0.001', pricingMode: 'dynamic' }] }),
  (url) => ({ resources: [{ url, price: { min: '$0.001', max: '$0.05' } }] }),
]

/** Honest hosts with several or changing prices. */
export const HONEST_PRICES: readonly Kind[] = [
  honest('price-change', 6, ({ index, day, entry }) => {
    const factors = CHANGES[index % CHANGES.length] ?? []
    const changed = factors.map((factor, step) => asks(day + step, [times(entry, factor)]))
    return { phases: [asks(0, [entry]), ...changed], knownFlags }
  }),
  honest('stale-listing', 2, ({ day, entry }) => ({
    phases: [asks(0, [entry]), asks(day, [times(entry, 1.25)])],
    claim: { ...OWN, price: 'stays', isRefreshed: false },
    knownFlags,
  })),
  honest('dynamic-price', 2, ({ index }) => {
    const many = Array.from({ length: 9 }, (_, n) => `${8000 + 2000 * n}`)
    return { phase: { amounts: { anyOf: index === 0 ? ['9000', '14000'] : many } }, knownFlags }
  }),
  honest('day-and-night-price', 2, () => ({
    phase: { amounts: { day: '15000', night: '9000' } },
    knownFlags,
  })),
  honest('tiers', 4, ({ index, entry }) => {
    const tiers = [1, 2, 5].slice(0, 2 + (index % 2)).map((factor) => times(entry, factor))
    return { phase: { entries: index % 4 < 2 ? tiers : tiers.toReversed() }, knownFlags }
  }),
  // The base price in the region of the directory; abroad, or where the prober sits, a tax or a surcharge comes on top.
  honest('regional-price', 4, ({ index, entry }) => {
    const region = index % 2 === 0 ? 'home' : 'away'
    const to = (request: SellerRequest) => request.region === region
    return {
      phase: { shown: { to, entries: [times(entry, index % 2 === 0 ? 1.19 : 1.5)] } },
      knownFlags,
    }
  }),
  // Shows some clients a price that is up to 20 % higher, to see what they accept.
  honest('small-price-test', 4, ({ index, entry }) => {
    const factor = [1.05, 1.1, 1.15, 1.19][index % 4] ?? 1.1
    const to = ({ headers }: SellerRequest) =>
      headers['user-agent'] === CLIENTS[index % CLIENTS.length]?.headers['user-agent']
    return {
      phase: { shown: { to, entries: [times(entry, factor)] } },
      knownFlags: [...knownFlags, 'price_varies'],
    }
  }),
  // Their own documents state conditions, of which the asked price is one outcome.
  honest('conditional-price', CONDITIONS.length, ({ index, host }) => ({
    phase: { wellKnown: JSON.stringify(CONDITIONS[index % CONDITIONS.length]?.(`https://${host}/api`)) },
    claim: index % 2 === 0 ? LISTED : { ...LISTED, directory: 'none' },
  })),
  // Changes its price, or adds a network, behind a cache that keeps 402 responses, also per client or place.
  honest('cached-402', 6, ({ index, day, entry }) => {
    const polygon = usdcEntry(POLYGON, entry.payTo, entry.amountAtomic)
    const minutes = [240, 60, 20, 300][index % 4] ?? 5
    return {
      phases: [asks(0, [entry]), asks(day, index % 4 === 1 ? [entry, polygon] : [times(entry, 1.25)])],
      cache: { minutes, points: 1 + (index % 3), ...(index % 3 === 0 && { varyBy: 'user-agent' }) },
      knownFlags: ['price_drift', 'terms_disagree', 'terms_new'],
    }
  }),
]
