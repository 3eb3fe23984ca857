import {
  aListing,
  aReceiver,
  type Listing,
  type Observation,
  type ProbeResult,
  type ReceiverRecord,
} from '@touchstone402/server/testing'
import { hostName } from './manyHosts.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NETWORK = 'eip155:8453'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
export const CLIENTS = ['browser', 'agent', 'library', 'crawler'] as const
export const ENDPOINTS_PER_HOST = 5
/** Probes of one endpoint in a day. */
export const PROBES_PER_DAY = 8
const PROBE_EVERY_MS = DAY / PROBES_PER_DAY
/** Share of probes that differ from the one before, in percent. */
const DIFFERENT_PCT = 3
/** One in so many endpoints changes its receiver. */
const CHANGED = 200
/** Days before the end at which it does. */
const CHANGED_DAYS = 20

/** Returns the host of an endpoint by its number. */
export const hostOf = (endpoint: number) => hostName(Math.floor(endpoint / ENDPOINTS_PER_HOST))

/** Returns the URL of an endpoint by its number. */
export const urlOf = (endpoint: number) =>
  `https://${hostOf(endpoint)}/v1/resource/${endpoint % ENDPOINTS_PER_HOST}`

/** Returns the number of an endpoint by its URL. */
export function numberOf(url: string): number {
  const { hostname, pathname } = new URL(url)
  return ENDPOINTS_PER_HOST * Number(hostname.slice(4, 10)) + Number(pathname.split('/').at(-1))
}

/** Number of different histories: endpoints whose numbers differ by a multiple of it share one, except for their hosts. */
export const PATTERNS = CHANGED

const payToOf = (endpoint: number, isChanged: boolean) =>
  `0x${(2 * (endpoint % PATTERNS) + (isChanged ? 2 : 1)).toString(16).padStart(40, '0')}`

/** Returns a number below 2^32 that looks random, the same for the same arguments. */
export function lot(endpoint: number, observation: number): number {
  let mixed = Math.imul(endpoint + 0x9e3779b9, 0x85ebca6b) ^ Math.imul(observation + 0x7f4a7c15, 0xc2b2ae35)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return (mixed ^ (mixed >>> 15)) >>> 0
}

/** Returns the answer of an endpoint to a probe, by number. */
export function answerOf(endpoint: number, observation: number, isChanged = false): ProbeResult {
  const chance = lot(endpoint % PATTERNS, observation)
  const isDifferent = chance % 100 < DIFFERENT_PCT
  const isDown = isDifferent && chance % 3 !== 0
  const shared = {
    client: CLIENTS[observation % CLIENTS.length] ?? 'crawler',
    method: 'GET',
    declaresInput: true,
    disagreements: [],
    problems: [],
    request: `req_${endpoint % PATTERNS}`,
  }
  if (isDown) {
    return {
      ...shared,
      outcome: 'down',
      cause: chance % 2 === 0 ? 'timeout' : 'server_error',
      httpStatus: chance % 2 === 0 ? null : 503,
      latencyMs: chance % 2 === 0 ? null : 40,
      versions: [],
      offers: [],
      resourceOrigin: null,
      declaresOutput: false,
    }
  }
  return {
    ...shared,
    outcome: 'up',
    cause: 'challenge',
    httpStatus: 402,
    latencyMs: 20 + (chance % 300),
    versions: [2],
    offers: [
      {
        x402Version: 2,
        scheme: 'exact',
        network: NETWORK,
        asset: USDC,
        payTo: payToOf(endpoint, isChanged),
        amountAtomic: isDifferent ? '10100' : '10000',
        unsafeFlow: null,
        unpayable: null,
      },
    ],
    resourceOrigin: `https://${hostOf(endpoint)}`,
    declaresOutput: true,
  }
}

/** Whether an endpoint names its second receiver at a time, in a history that ends at `now`. */
export function isChangedAt(endpoint: number, at: number, now: number): boolean {
  return endpoint % CHANGED === 0 && at >= now - CHANGED_DAYS * DAY
}

/** Creates one probe of an endpoint. */
function probeAt(endpoint: number, observation: number, at: number, isChanged = false): Observation {
  return {
    kind: 'observation',
    id: `obs_${`${endpoint}-${observation}`.padStart(12, '0')}`,
    at,
    endpoint: urlOf(endpoint),
    host: hostOf(endpoint),
    purpose: 'scheduled',
    ...answerOf(endpoint, observation, isChanged),
  }
}

/** Creates the probes of a crawl at one endpoint, oldest first, the last one shortly before `now`. */
export function observationsOf(endpoint: number, observations: number, now: number): Observation[] {
  const first = now - observations * PROBE_EVERY_MS + (lot(endpoint % PATTERNS, -1) % PROBE_EVERY_MS)
  return Array.from({ length: observations }, (_, observation) => {
    const at = first + observation * PROBE_EVERY_MS
    return probeAt(endpoint, observation, at, isChangedAt(endpoint, at, now))
  })
}

/** Creates the listing of an endpoint. */
export function listingOf(endpoint: number, at: number): Listing {
  return aListing({
    id: `lst_${endpoint}`,
    at,
    endpoint: urlOf(endpoint),
    host: hostOf(endpoint),
    url: urlOf(endpoint),
    title: `Resource ${endpoint}`,
    category: `category-${endpoint % 8}`,
    claims: {
      network: NETWORK,
      asset: USDC,
      payTo: payToOf(endpoint, false),
      amountAtomic: '10000',
      priceUsd: 0.01,
      healthy: null,
      calls: null,
    },
  })
}

/** Creates the chain record of an endpoint's receiver, before and after a change. */
export function receiverOf(endpoint: number, isChanged: boolean, at: number): ReceiverRecord {
  return aReceiver({
    id: `rcv_${endpoint}_${isChanged}_${at}`,
    at,
    address: payToOf(endpoint, isChanged),
    receiptsEver: 400,
    receipts30d: 40,
    receipts90d: 120,
    payers30d: 12,
    payers90d: 30,
    firstReceiptAt: at - 300 * DAY,
    lastReceiptAt: at - HOUR,
    historyFrom: at - 400 * DAY,
    isWholeLife: true,
  })
}
