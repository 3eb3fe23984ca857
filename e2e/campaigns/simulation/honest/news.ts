import { asks, honest, type Kind } from '../parts.ts'
import { CLIENTS, POLYGON, SOLANA, SOLANA_SELLER, usdcEntry } from '../world/names.ts'
import type { Reply } from '../world/types.ts'

const PROBER_AGENT = CLIENTS[0]?.headers['user-agent']
const REFUSALS: readonly Reply[] = ['captcha', 'not_acceptable', 'legal']

/** Some calls of a day are free: from the first day on beside a route that is not, or from a later day on. */
const FREE_QUOTA = honest('free-quota', 2, ({ index, day, entry }) => {
  const freeCalls = 2 + index
  return index % 2 === 0
    ? { phases: [asks(0, [entry]), asks(day, [entry], { freeCalls })] }
    : { paths: ['/api', '/free-tier'], phases: [asks(0, [entry]), asks(1, [entry], { freeCalls })] }
})

/** Takes 15 s to answer. */
const SLOW = honest('slow', 2, () => ({ latencyMs: 15_000, knownFlags: ['slow'] }))

const PAGES: readonly Reply[] = ['imperva', 'anubis', 'ngrok', 'cloudflare']

/** Pages of bot filters with status 200 or 503, to all clients from the first or a later day on, or to the prober's own name. */
const FILTER_PAGES = honest('filter-pages', 12, ({ index, day, entry }) => {
  const refusal = PAGES[index % PAGES.length] ?? 'imperva'
  const place = Math.floor(index / PAGES.length)
  if (place === 0) return { phase: { reply: refusal } }
  if (place === 1) return { refusal, refuses: ({ headers }) => headers['user-agent'] === PROBER_AGENT }
  // A seller that refuses the prober is Caution at best.
  return { phases: [asks(0, [entry]), asks(day, [entry], { reply: refusal })], isCautionByRule: true }
})

/** Bot filters that answer 202, 406 and 451, to all clients or to the prober's own name. */
const FILTERS = honest('filters', 6, ({ index }) => {
  const refusal = REFUSALS[index % REFUSALS.length] ?? 'legal'
  return index < REFUSALS.length
    ? { phase: { reply: refusal } }
    : { refusal, refuses: ({ headers }) => headers['user-agent'] === PROBER_AGENT }
})

/** A new receiver for each payment, in offers that the seller signs with one key. */
const SIGNED_DEPOSITS = honest('signed-deposits', 2, () => ({
  wire: 'v2',
  phase: { receivers: 'per_request', signsOffers: true },
}))

/** Honest hosts with what else the field does. */
export const HONEST_NEWS: readonly Kind[] = [
  ...[FREE_QUOTA, SLOW, FILTERS, FILTER_PAGES, SIGNED_DEPOSITS],
  honest('dual-protocol', 3, ({ index }) => ({
    wire: (['v2', 'both', 'v1', 'v2'] as const)[index % 4] ?? 'v2',
    phase: { asksByMpp: true },
  })),
  // The same receiver on another network, behind or in front; and a first receiver on Solana.
  honest('adds-network', 6, ({ index, day, entry }) => {
    const added =
      index % 3 === 2
        ? usdcEntry(SOLANA, SOLANA_SELLER, entry.amountAtomic)
        : usdcEntry(POLYGON, entry.payTo, entry.amountAtomic)
    const after = index % 2 === 0 ? [entry, added] : [added, entry]
    return {
      phases: [asks(0, [entry]), asks(day, after)],
      knownFlags: ['terms_new', 'unverifiable'],
    }
  }),
]
