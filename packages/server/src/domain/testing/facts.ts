import type { Listing, Observation, ObservedOffer, ReceiverRecord } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { type JudgeInput, judgeEndpoint } from '../judge/judge.ts'

export const T0 = Date.UTC(2026, 5, 1)
export const BASE = 'eip155:8453'
export const SEPOLIA = 'eip155:84532'
export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
export const SEPOLIA_USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
export const POLYGON = 'eip155:137'
export const POLYGON_USDC = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'
export const ENDPOINT = 'https://api.example/a'
export const HOST = 'api.example'

/** The address that is all one digit. */
export const address = (digit: string) => `0x${digit.repeat(40)}`
export const A = address('a')
export const B = address('b')
export const C = address('c')

/** An offer of one cent in USDC on Base to A. */
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

let looks = 0

/** A successful scheduled look. */
export function up(
  at: number,
  changes: Partial<Observation> & { payTo?: string; amount?: string } = {},
): Observation {
  const { payTo = A, amount = '10000', ...more } = changes
  return {
    kind: 'observation',
    id: `o${++looks}`,
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

/** A look that found nothing. */
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

/** A look that measured nothing. */
export function unmeasured(at: number, changes: Partial<Observation> = {}): Observation {
  return down(at, { outcome: 'not_measured', cause: 'blocked', httpStatus: 403, ...changes })
}

/** Looks every `everyMs`, `count` of them, by two identities in turn. */
export function series(
  from: number,
  count: number,
  everyMs: number,
  look: (at: number, client: string) => Observation = (at, client) => up(at, { client }),
): Observation[] {
  return Array.from({ length: count }, (_, index) =>
    look(from + index * everyMs, index % 2 === 0 ? 'touchstone' : 'agent'),
  )
}

/** Twelve looks in a few minutes by two identities: enough to confirm what they show. */
export function confirmed(from: number, payTo: string): Observation[] {
  return series(from, 12, 20_000, (at, client) => up(at, { client, payTo, purpose: 'confirm' }))
}

/** A seller's own listing at a cent. */
export function listing(at: number, changes: Partial<Listing> = {}): Listing {
  return {
    kind: 'listing',
    id: `l${at}`,
    at,
    directory: 'bazaar',
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

/** A chain record. */
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
    blockNumber: 1000,
    blockHash: `0x${'ab'.repeat(32)}`,
    ...changes,
  }
}

/** Judges looks, a minute after the last of them. */
export function judge(observations: readonly Observation[], more: Partial<JudgeInput> = {}) {
  return judgeEndpoint({
    endpoint: ENDPOINT,
    host: HOST,
    listings: [],
    observations,
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
