import { sameAddress } from '@touchstone402/shared'
import type { BudgetLimits, LedgerView, PaidPrice } from '../decide/budget.ts'
import type { Payment, PaymentQuery, Pin, Strikes } from './ledger.ts'
import { assetKey } from './spending.ts'

// Per map and agent. The key that was written first leaves first.
const MAX_KEYS = 10_000
/** Paid amounts that the usual price is taken from. */
const MAX_PRICES = 15
const MAX_STRIKES = 100
/** Deliveries after which a mild fault is forgotten, so that one answer in two cannot be empty. */
const CLEARING = 3
/** How long the first, the second and every later strike bars an endpoint, in ms: minutes, hours, a day. */
const STRIKE_MS = [300_000, 7_200_000, 86_400_000] as const

/** Experience of one agent, or the owner, with sellers: receivers, faults, deliveries and prices. */
export type Memory = {
  /** Last receiver paid, by endpoint, network and asset. */
  pins: Map<string, string>
  /** Paid calls without delivery since the last delivery, by endpoint. */
  strikes: Map<string, Strike[]>
  /** Number of deliveries that clear the mild fault of an endpoint. */
  faulty: Map<string, number>
  /** Number of delivered calls, by host and receiver. */
  deliveries: Map<string, number>
  /** Last paid amounts in millionths of a dollar, by endpoint and by host. */
  prices: Map<string, bigint[]>
  /** Unix time in ms of the last payment, by endpoint and by host. */
  paidAt: Map<string, number>
  /** Dearest delivered call, by host and receiver. */
  dearest: Map<string, PaidPrice>
}

/** A paid call without delivery. */
export type Strike = {
  /** The payment; empty from a ledger of format 1. */
  id: string
  /** Unix time in ms. */
  at: number
  /** Whom it counts for: its own agent, all if two agents have one, or all. */
  for: 'own' | 'two' | 'all'
}

/** The memories of a ledger, by agent. */
export type Sellers = Map<string, Memory>

/** The owner's own programs, whose memory counts for every agent. */
const OWNER = ''

/** Creates an empty memory. */
export function createMemory(): Memory {
  const sellers = { pins: new Map(), strikes: new Map(), faulty: new Map(), deliveries: new Map() }
  return { ...sellers, prices: new Map(), paidAt: new Map(), dearest: new Map() }
}

/** Returns the history of the seller of one prospective payment. `now` is Unix time in ms. */
export function viewSeller(
  sellers: Sellers,
  query: PaymentQuery,
  { maxStrikes, strikeMs }: BudgetLimits,
  now: number,
): Pick<
  LedgerView,
  'struckUntil' | 'pinnedReceiver' | 'isNewAsset' | 'deliveries' | 'usual' | 'dearestAtHost'
> {
  const { host, payTo } = query
  const place = placeOf(query)
  const name = query.agent ?? OWNER
  const mine = sellers.get(name)
  const all = [...sellers.values()]
  /** Reads what an agent's own experience says, or without one, what everybody else's says. */
  const read = <T>(of: (memory: Memory) => T | null): T[] => {
    const own = mine === undefined ? null : of(mine)
    return own === null ? all.flatMap((one) => of(one) ?? []) : [own]
  }
  const pins = read((one) => one.pins.get(pinKey(query)) ?? null)
  const pinnedReceiver = pins.find((pin) => !sameAddress(pin, payTo)) ?? pins[0] ?? null
  const usual = (place: string) => leastOf(read((one) => usualAt(one, place)))
  const here = usual(place)
  const recent = strikesFor(sellers, name, place).filter((at) => at > now - strikeMs)
  const step = STRIKE_MS[Math.min(recent.length - maxStrikes, STRIKE_MS.length) - 1]
  const until = step === undefined ? 0 : (recent.at(-1) ?? 0) + Math.min(step, strikeMs)
  const key = deliveryKey(host, payTo)
  // Trust is earned with the owner, or with this agent alone.
  const trusted = [...new Set([name, OWNER])].flatMap((one) => sellers.get(one) ?? [])
  return {
    struckUntil: until > now ? until : null,
    pinnedReceiver,
    isNewAsset: pinnedReceiver === null && all.some((one) => hasPin(one.pins, place)),
    deliveries: trusted.reduce((sum, { deliveries }) => sum + (deliveries.get(key) ?? 0), 0),
    usual: here && { ...here, isOfOthers: !trusted.some((one) => usualAt(one, place)) },
    dearestAtHost: dearestOf(trusted.flatMap(({ dearest }) => dearest.get(key) ?? [])) ?? usual(host),
  }
}

/** Returns the times of the strikes of an endpoint that count for an agent, ascending. */
function strikesFor(sellers: Sellers, name: string, endpoint: string): number[] {
  const all = [...sellers].map(([agent, { strikes }]) => ({ agent, list: strikes.get(endpoint) ?? [] }))
  const isTold = all.filter(({ list }) => list.some((one) => one.for !== 'own')).length > 1
  const counted = all.flatMap(({ agent, list }) =>
    agent === name || agent === OWNER
      ? list
      : list.filter((one) => one.for === 'all' || (isTold && one.for === 'two')),
  )
  return counted.map(({ at }) => at).toSorted((a, b) => a - b)
}

/**
 * Records whether a paid call was delivered. A mild fault is a strike only if another one is not yet cleared. A fault that
 * the agent may have caused (`isOwn`) counts for no other agent.
 */
export function recordDelivery(sellers: Sellers, entry: Payment, isMild: boolean, isOwn: boolean): void {
  const { strikes, faulty, deliveries, dearest } = memoryOf(sellers, entry)
  const { id, host, payTo, at, usdMicros } = entry
  const endpoint = placeOf(entry)
  if (entry.delivered) {
    strikes.delete(endpoint)
    const left = (faulty.get(endpoint) ?? 0) - 1
    if (left > 0) faulty.set(endpoint, left)
    else faulty.delete(endpoint)
    const key = deliveryKey(host, payTo)
    keep(deliveries, key, (deliveries.get(key) ?? 0) + 1)
    const before = dearest.get(key)
    if (before === undefined || before.usdMicros <= usdMicros) keep(dearest, key, { usdMicros, at })
  } else if (isMild && !faulty.has(endpoint)) keep(faulty, endpoint, CLEARING)
  // A payment that is sent again is one fault.
  else if (strikes.get(endpoint)?.some((one) => one.id === id)) return
  else {
    const isProven = entry.known?.by === 'chain'
    const strike: Strike = { id, at, for: isOwn ? 'own' : isProven ? 'all' : 'two' }
    keep(strikes, endpoint, [...(strikes.get(endpoint) ?? []).slice(1 - MAX_STRIKES), strike])
  }
}

/** Lets the strike of a payment count for all agents, once the chain proves that it was collected. */
export function proveStrike(sellers: Sellers, entry: Payment): void {
  for (const one of memoryOf(sellers, entry).strikes.get(placeOf(entry)) ?? [])
    if (one.id === entry.id && one.for === 'two') one.for = 'all'
}

/** Pins the receiver of a payment that may leave, and records its price, once. */
export function recordPayment(sellers: Sellers, entry: Payment): void {
  if (entry.formerReceiver !== undefined) return
  const { pins, prices, paidAt } = memoryOf(sellers, entry)
  entry.formerReceiver = pins.get(pinKey(entry)) ?? null
  for (const place of [placeOf(entry), entry.host]) {
    keep(prices, place, [...(prices.get(place) ?? []), entry.usdMicros].slice(-MAX_PRICES))
    keep(paidAt, place, entry.at)
  }
  keep(pins, pinKey(entry), entry.payTo)
}

/** Returns the memory of a payment's agent. */
export function memoryOf(sellers: Sellers, { agent }: Payment): Memory {
  const name = agent ?? OWNER
  const known = sellers.get(name) ?? createMemory()
  sellers.set(name, known)
  return known
}

/** Returns the endpoints with strikes of any agent. */
export function strikesOf(sellers: Sellers): Strikes[] {
  const endpoints = new Set([...sellers.values()].flatMap((one) => [...one.strikes.keys()]))
  return [...endpoints].map((endpoint) => {
    const at = [...sellers.values()].flatMap(({ strikes }) => strikes.get(endpoint) ?? [])
    return { endpoint, at: at.map((one) => one.at).toSorted((a, b) => a - b) }
  })
}

/** Returns the receivers that any agent has pinned, each once. */
export function pinsOf(sellers: Sellers): Pin[] {
  const pins = [...sellers.values()].flatMap((one) => [...one.pins].map(([key, payTo]) => `${key} ${payTo}`))
  return [...new Set(pins)].map((text) => {
    const [endpoint = '', network = '', asset = '', payTo = ''] = text.split(' ')
    return { endpoint, network, asset, payTo }
  })
}

/** Forgets the strikes or the pins of a host. */
export function clearHost(sellers: Sellers, what: 'strikes' | 'pins', host: string): void {
  const maps = [...sellers.values()].flatMap<Map<string, unknown>>((one) =>
    what === 'pins' ? [one.pins] : [one.strikes, one.faulty],
  )
  for (const map of maps) {
    for (const key of map.keys()) if (new URL(key.split(' ')[0] ?? '').host === host) map.delete(key)
  }
}

function hasPin(pins: Memory['pins'], endpoint: string): boolean {
  for (const key of pins.keys()) if (key.startsWith(`${endpoint} `)) return true
  return false
}

const byPrice = (a: PaidPrice, b: PaidPrice): number => (a.usdMicros < b.usdMicros ? -1 : 1)
const leastOf = (prices: readonly PaidPrice[]): PaidPrice | null => prices.toSorted(byPrice)[0] ?? null
const dearestOf = (prices: readonly PaidPrice[]): PaidPrice | null => prices.toSorted(byPrice).at(-1) ?? null

/** Returns the median of what was paid at a place. */
function usualAt({ prices, paidAt }: Memory, place: string): PaidPrice | null {
  const amounts = (prices.get(place) ?? []).toSorted((a, b) => (a < b ? -1 : 1))
  const usdMicros = amounts[amounts.length >> 1]
  return usdMicros === undefined ? null : { usdMicros, at: paidAt.get(place) ?? null }
}

function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  const oldest = map.keys().next().value
  if (map.size > MAX_KEYS && oldest !== undefined) map.delete(oldest)
}

const deliveryKey = (host: string, payTo: string): string => `${host} ${payTo.toLowerCase()}`

/**
 * Returns the endpoint under which a payment is remembered: the one that the caller asked for. A seller that redirects
 * each call to a new path would otherwise have no past.
 */
const placeOf = ({ asked, endpoint }: Pick<PaymentQuery, 'asked' | 'endpoint'>): string => asked ?? endpoint

/** Returns the key of the receiver pinned for an endpoint. */
export const pinKey = (query: Pick<PaymentQuery, 'asked' | 'endpoint' | 'network' | 'asset'>): string =>
  `${placeOf(query)} ${assetKey(query)}`
