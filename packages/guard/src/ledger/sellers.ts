import { sameAddress } from '@touchstone402/shared'
import type { BudgetLimits, LedgerView } from '../decide/budget.ts'
import type { LedgerEntry, Pin, Strikes, ViewQuery } from './ledger.ts'
import { assetKey } from './spending.ts'

// Per map. The key that was written first leaves first.
const MAX_KEYS = 10_000
/** Paid amounts that the usual price is taken from. */
const MAX_PRICES = 15
const MAX_STRIKES = 100
/** Deliveries after which a mild fault is forgotten, so that one answer in two cannot be empty. */
const CLEARING = 3
/** How long the first, the second and every later strike bars an endpoint, in ms: minutes, hours, a day. */
const STRIKE_MS = [300_000, 7_200_000, 86_400_000] as const

/** The sellers of a ledger: receivers, faults, deliveries and prices. */
export type Sellers = {
  /** Last receiver paid, by endpoint, network and asset. */
  pins: Map<string, string>
  /** Times of paid calls without delivery since the last delivery, by endpoint. Unix time in ms. */
  strikes: Map<string, number[]>
  /** Number of deliveries that clear the mild fault of an endpoint. */
  faulty: Map<string, number>
  /** Number of delivered calls, by host and receiver. */
  deliveries: Map<string, number>
  /** Last paid amounts in millionths of a dollar, by endpoint and by host. */
  prices: Map<string, bigint[]>
}

/** Creates an empty memory. */
export function createSellers(): Sellers {
  return { pins: new Map(), strikes: new Map(), faulty: new Map(), deliveries: new Map(), prices: new Map() }
}

/** Returns the history of the seller of one prospective payment. `now` is Unix time in ms. */
export function viewSeller(
  { pins, strikes, deliveries, prices }: Sellers,
  query: ViewQuery,
  { maxStrikes, strikeMs }: BudgetLimits,
  now: number,
): Pick<
  LedgerView,
  'struckUntil' | 'pinnedReceiver' | 'isNewAsset' | 'deliveries' | 'usualUsdMicros' | 'usualHostUsdMicros'
> {
  const { endpoint, host, payTo } = query
  const recent = (strikes.get(endpoint) ?? []).filter((at) => at > now - strikeMs)
  const step = STRIKE_MS[Math.min(recent.length - maxStrikes, STRIKE_MS.length) - 1]
  const until = step === undefined ? 0 : (recent.at(-1) ?? 0) + Math.min(step, strikeMs)
  const pinnedReceiver = pins.get(pinKey(query)) ?? null
  return {
    struckUntil: until > now ? until : null,
    pinnedReceiver,
    isNewAsset: pinnedReceiver === null && hasPin(pins, endpoint),
    deliveries: deliveries.get(deliveryKey(host, payTo)) ?? 0,
    usualUsdMicros: medianOf(prices.get(endpoint)),
    usualHostUsdMicros: medianOf(prices.get(host)),
  }
}

/** Records whether a paid call was delivered. A mild fault is a strike only if another one is not yet cleared. */
export function recordDelivery(sellers: Sellers, entry: LedgerEntry, isMild: boolean): void {
  const { strikes, faulty, deliveries } = sellers
  const { endpoint, host, payTo, at } = entry
  if (entry.delivered) {
    strikes.delete(endpoint)
    const left = (faulty.get(endpoint) ?? 0) - 1
    if (left > 0) faulty.set(endpoint, left)
    else faulty.delete(endpoint)
    const key = deliveryKey(host, payTo)
    keep(deliveries, key, (deliveries.get(key) ?? 0) + 1)
  } else if (isMild && !faulty.has(endpoint)) keep(faulty, endpoint, CLEARING)
  // A payment that is sent again is one fault.
  else if (strikes.get(endpoint)?.includes(at)) return
  else keep(strikes, endpoint, [...(strikes.get(endpoint) ?? []).slice(1 - MAX_STRIKES), at])
}

/** Pins the receiver of a payment that leaves, and records its price. Two integrations may report one payment. */
export function recordPayment({ pins, prices }: Sellers, entry: LedgerEntry): void {
  const key = pinKey(entry)
  const pinned = pins.get(key)
  if (entry.formerReceiver === undefined) {
    entry.formerReceiver = pinned ?? null
    for (const place of [entry.endpoint, entry.host])
      keep(prices, place, [...(prices.get(place) ?? []), entry.usdMicros].slice(-MAX_PRICES))
  }
  if (pinned === undefined || !sameAddress(pinned, entry.payTo)) keep(pins, key, entry.payTo)
}

/** Takes back pin and price of a payment that was not signed. */
export function forgetPayment({ pins, prices }: Sellers, { formerReceiver, ...entry }: LedgerEntry): void {
  if (formerReceiver === undefined) return
  const key = pinKey(entry)
  for (const place of [entry.endpoint, entry.host]) {
    const kept = [...(prices.get(place) ?? [])]
    const own = kept.lastIndexOf(entry.usdMicros)
    if (own >= 0) kept.splice(own, 1)
    if (kept.length > 0) prices.set(place, kept)
    else prices.delete(place)
  }
  if (formerReceiver === null && pins.get(key) === entry.payTo) pins.delete(key)
  else if (typeof formerReceiver === 'string') pins.set(key, formerReceiver)
}

/** Returns the endpoints with strikes. */
export function strikesOf({ strikes }: Sellers): Strikes[] {
  return [...strikes].map(([endpoint, at]) => ({ endpoint, at: [...at] }))
}

/** Returns the pinned receivers. */
export function pinsOf({ pins }: Sellers): Pin[] {
  return [...pins].map(([key, payTo]) => {
    const [endpoint = '', network = '', asset = ''] = key.split(' ')
    return { endpoint, network, asset, payTo }
  })
}

/** Forgets the strikes or the pins of a host. */
export function clearHost(sellers: Sellers, what: 'strikes' | 'pins', host: string): void {
  const maps = what === 'pins' ? [sellers.pins] : [sellers.strikes, sellers.faulty]
  for (const map of maps) {
    for (const key of map.keys()) if (new URL(key.split(' ')[0] ?? '').host === host) map.delete(key)
  }
}

function hasPin(pins: Sellers['pins'], endpoint: string): boolean {
  for (const key of pins.keys()) if (key.startsWith(`${endpoint} `)) return true
  return false
}

function medianOf(amounts: readonly bigint[] = []): bigint | null {
  return amounts.toSorted((a, b) => (a < b ? -1 : 1))[amounts.length >> 1] ?? null
}

function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  const oldest = map.keys().next().value
  if (map.size > MAX_KEYS && oldest !== undefined) map.delete(oldest)
}

const deliveryKey = (host: string, payTo: string): string => `${host} ${payTo.toLowerCase()}`

const pinKey = (query: Pick<ViewQuery, 'endpoint' | 'network' | 'asset'>): string =>
  `${query.endpoint} ${assetKey(query)}`
