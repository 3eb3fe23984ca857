import type { Change, Incident, Report } from '@touchstone402/shared'
import type { Announcement, Listing, Observation, Purchase, ReceiverRecord } from '../../facts/facts.ts'
import { up } from '../../judge/testing/facts.ts'
import type { WantedClaim } from '../claims.ts'

/** A noon in June, as Unix time in ms. */
export const NOON = Date.UTC(2026, 5, 1, 12)

const NETWORK = 'eip155:8453'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const SELLER = '0x1111111111111111111111111111111111111111'
const place = { endpoint: 'https://api.example/a', host: 'api.example' }

/** Creates a listing. */
export function aListing(changes: Partial<Listing> = {}): Listing {
  return {
    kind: 'listing',
    id: 'l1',
    at: NOON,
    directory: 'bazaar',
    ...place,
    url: 'https://api.example/a?city=Oslo',
    method: 'GET',
    body: null,
    declaresInput: true,
    declaresOutput: true,
    title: 'Weather',
    category: null,
    claims: {
      network: NETWORK,
      asset: USDC,
      payTo: SELLER,
      amountAtomic: '1000',
      priceUsd: 0.001,
      healthy: null,
      calls: null,
    },
    claimedAt: null,
    ownClaim: true,
    ...changes,
  }
}

/** Creates an observation of an endpoint that is up. */
export function anObservation(changes: Partial<Observation> = {}): Observation {
  return up(NOON, {
    id: 'o1',
    client: 'crawler',
    latencyMs: 41,
    payTo: SELLER,
    amount: '1000',
    resourceOrigin: 'https://api.example',
    declaresInput: true,
    ...changes,
  })
}

/** Creates a receiver's record. */
export function aReceiver(changes: Partial<ReceiverRecord> = {}): ReceiverRecord {
  return {
    kind: 'receiver',
    id: 'r1',
    at: NOON,
    network: NETWORK,
    address: '0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa',
    category: 'established',
    isContract: false,
    receiptsEver: 12,
    receipts30d: 4,
    receipts90d: 12,
    payers30d: 2,
    payers90d: 5,
    selfFundedExcluded: 0,
    firstReceiptAt: NOON - 1,
    lastReceiptAt: NOON,
    lastOutflowAt: null,
    historyFrom: NOON - 2,
    blockNumber: 100,
    blockHash: `0x${'ab'.repeat(32)}`,
    ...changes,
  }
}

/** Creates the announcement of a receiver change. */
export function anAnnouncement(): Announcement {
  const addresses = { oldPayTo: SELLER, newPayTo: '0x2222222222222222222222222222222222222222' }
  const basis = { validFrom: NOON, basis: 'signature', txHash: null } as const
  return {
    kind: 'announcement',
    id: 'a1',
    at: NOON,
    host: place.host,
    network: NETWORK,
    ...addresses,
    ...basis,
  }
}

/** Creates a delivered test purchase. */
export function aPurchase(): Purchase {
  const paid = { network: NETWORK, payTo: SELLER, amountAtomic: '1000', txHash: `0x${'cd'.repeat(32)}` }
  return { kind: 'purchase', id: 'p1', at: NOON, ...place, ...paid, settled: true, delivered: true }
}

/** Creates a receiver change. */
export function aChange(changes: Partial<Change> = {}): Change {
  const at = new Date(NOON).toISOString()
  return { id: 'c1', kind: 'payto_swap', ...place, at, before: SELLER, after: '0x22', ...changes }
}

/** Creates an open incident. */
export function anIncident(changes: Partial<Incident> = {}): Incident {
  return {
    id: 'i1',
    kind: 'receiver_hijack',
    severity: 'critical',
    status: 'open',
    ...place,
    detectedAt: new Date(NOON).toISOString(),
    resolvedAt: null,
    summary: 'The receiver changed.',
    observations: ['o1'],
    proof: { chain: NETWORK, blockNumber: 100, explorerUrl: 'https://basescan.org/' },
    proofUrl: 'https://basescan.org/',
    ...changes,
  }
}

/** Creates an empty daily report. */
export function aReport(changes: Partial<Report> = {}): Report {
  const counts = { hosts: 0, tracked: 0, live: 0, dead: 0, invalid: 0, unmeasured: 0, deadPct: 0 }
  return {
    date: '2026-06-01',
    asOf: new Date(NOON).toISOString(),
    ...counts,
    medianPriceUsd: null,
    riskByLevel: { clean: 0, low: 0, medium: 0, high: 0, unknown: 0 },
    byVerdict: { safe: 0, caution: 0, avoid: 0, unknown: 0 },
    flagCounts: {},
    incidentsOpen: 0,
    incidentsNew: 0,
    changes: { service_gone_dark: 0, payto_swap: 0, price_jump: 0, new_service: 0, service_recovered: 0 },
    scoreVersion: '1.1.0',
    directories: [],
    summary: 'Nothing is known.',
    ...changes,
  }
}

export { documentOf } from './documents.ts'

/** Creates a payment to be claimed. */
export function aWantedClaim(changes: Partial<WantedClaim> = {}): WantedClaim {
  return {
    network: NETWORK,
    asset: USDC,
    from: '0x3333333333333333333333333333333333333333',
    nonce: `0x${'ef'.repeat(32)}`,
    binding: 'GET https://touchstone.example/trust',
    payTo: SELLER,
    amountAtomic: '5000',
    validBefore: NOON / 1000 + 300,
    claimedAt: NOON,
    facilitator: 'https://facilitator.example',
    ...changes,
  }
}
