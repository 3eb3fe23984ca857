import type { Listing, Observation, ObservedOffer, ReceiverRecord } from '../../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../../facts/times.ts'
import { judgeEndpoint } from '../judge.ts'

export const T0 = Date.UTC(2026, 5, 1)
export const BASE = 'eip155:8453'
export const SEPOLIA = 'eip155:84532'
export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
export const SEPOLIA_USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
export const POLYGON = 'eip155:137'
export const POLYGON_USDC = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'
export const ENDPOINT = 'https://api.example/a'
export const HOST = 'api.example'

/** Returns an address of one repeated digit. */
export const address = (digit: string) => `0x${digit.repeat(40)}`
export const A = address('a')
export const B = address('b')
export const C = address('c')

/** Creates an offer of one cent in USDC on Base to A. */
export function offer(changes: Partial<ObservedOffer> = {}): ObservedOffer {
  return {
    x402Version: 2,
    scheme: 'exact',
    network: BASE,
    asset: USDC,
    payTo: A,
    amountAtomic: '10000',
    unsafeFlow: null,
    ...changes,
  }
}

let probes = 0

/** Creates a successful scheduled probe. */
export function up(
  at: number,
  changes: Partial<Observation> & { payTo?: string; amount?: string } = {},
): Observation {
  const { payTo = A, amount = '10000', ...more } = changes
  return {
    kind: 'observation',
    id: `o${++probes}`,
    at,
    endpoint: ENDPOINT,
    host: HOST,
    purpose: 'scheduled',
    client: 'touchstone',
    method: 'GET',
    outcome: 'up',
    cause: 'challenge',
    httpStatus: 402,
    latencyMs: 40,
    versions: [2],
    offers: [offer({ payTo, amountAtomic: amount })],
    resourceOrigin: null,
    declaresInput: false,
    declaresOutput: true,
    disagreements: [],
    problems: [],
    ...more,
  }
}

/** Creates a failed probe. */
export function down(at: number, changes: Partial<Observation> = {}): Observation {
  return up(at, {
    outcome: 'down',
    cause: 'refused',
    httpStatus: null,
    latencyMs: null,
    offers: [],
    versions: [],
    ...changes,
  })
}

/** Creates a probe with the outcome `not_measured`. */
export function unmeasured(at: number, changes: Partial<Observation> = {}): Observation {
  return down(at, { outcome: 'not_measured', cause: 'blocked', httpStatus: 403, ...changes })
}

/** Creates `count` probes, `everyMs` apart, by two clients in turn. */
export function series(
  from: number,
  count: number,
  everyMs: number,
  probe: (at: number, client: string) => Observation = (at, client) => up(at, { client }),
): Observation[] {
  return Array.from({ length: count }, (_, index) =>
    probe(from + index * everyMs, index % 2 === 0 ? 'touchstone' : 'agent'),
  )
}

/** Creates twelve probes within minutes by two clients: enough to confirm a receiver. */
export function confirmed(from: number, payTo: string): Observation[] {
  return series(from, 12, 20_000, (at, client) => up(at, { client, payTo, purpose: 'confirm' }))
}

/** Creates a seller's own listing at one cent. */
export function listing(at: number, changes: Partial<Listing> = {}): Listing {
  return {
    kind: 'listing',
    id: `l${at}`,
    at,
    directory: 'host',
    endpoint: ENDPOINT,
    host: HOST,
    url: ENDPOINT,
    method: 'GET',
    body: null,
    declaresInput: true,
    declaresOutput: true,
    title: null,
    category: null,
    claims: {
      network: BASE,
      asset: USDC,
      payTo: A,
      amountAtomic: '10000',
      priceUsd: 0.01,
      healthy: null,
      calls: null,
    },
    claimedAt: at,
    ownClaim: true,
    ...changes,
  }
}

/** Creates a listing of the seller's own that states no terms. */
export function termlessListing(at: number, changes: Partial<Listing> = {}): Listing {
  const claims = { ...listing(at).claims, payTo: null, amountAtomic: null, priceUsd: null }
  return listing(at, { claims, ...changes })
}

/** Creates a chain record. */
export function record(at: number, changes: Partial<ReceiverRecord> = {}): ReceiverRecord {
  return {
    kind: 'receiver',
    id: `r${at}`,
    at,
    network: BASE,
    address: A,
    category: 'blank',
    isContract: false,
    receiptsEver: 3,
    receipts30d: 3,
    receipts90d: 3,
    payers30d: 2,
    payers90d: 2,
    selfFundedExcluded: 0,
    firstReceiptAt: at - 60 * DAY,
    lastReceiptAt: at - HOUR,
    lastOutflowAt: null,
    historyFrom: at - 90 * DAY,
    isWholeLife: true,
    blockNumber: 1000,
    blockHash: `0x${'ab'.repeat(32)}`,
    ...changes,
  }
}

/** Judges probes one minute after the last. */
export function judge(
  observations: readonly Observation[],
  more: Partial<Parameters<typeof judgeEndpoint>[0]> = {},
) {
  return judgeEndpoint({
    endpoint: ENDPOINT,
    host: HOST,
    listings: [],
    observations,
    isWhole: true,
    changes: [],
    control: undefined,
    announcements: [],
    purchases: [],
    recordsOf: () => [],
    categoryPrice: () => undefined,
    incidents: [],
    now: (observations.at(-1)?.at ?? T0) + MINUTE,
    random: 0,
    ...more,
  })
}
