import type { EndpointState, HostDocument } from '../../facts/hostDocument.ts'
import { DAY, HOUR } from '../../facts/times.ts'
import { SCORE_VERSION } from '../../judge/spec.ts'
import { NOON } from './records.ts'

/** Creates a host document with one endpoint; its time distinguishes versions. */
export function documentOf(host: string, at: number): HostDocument {
  const state = aState({ endpoint: `https://${host}/a`, derivedAt: at })
  return { host, endpoints: [state], updatedAt: at }
}

/** Creates the state of a safe endpoint; `endpoint` sets its host and `derivedAt` its times. */
export function aState(changes: Partial<EndpointState> = {}): EndpointState {
  const { endpoint = 'https://api.example/a', derivedAt = NOON } = changes
  return {
    endpoint,
    host: new URL(endpoint).host,
    method: 'GET',
    category: null,
    categoryPrice: null,
    listedBy: ['bazaar'],
    listings: [],
    firstSeen: NOON,
    lastChecked: derivedAt,
    confirmedAt: derivedAt,
    nextProbeAt: derivedAt + HOUR,
    status: 'live',
    darkSince: null,
    degraded: false,
    receiverUnconfirmed: false,
    doubtful: false,
    verdict: 'safe',
    score: 91,
    band: 'excellent',
    scored: {
      conformance: { foreignResource: false, undeclaredInput: false, misplacedChallenge: false },
      proof: { delivered: false, signed: false },
      priceJumps: 0,
      openIncidents: [],
    },
    riskLevel: 'clean',
    flags: [],
    reasons: [{ code: 'up', severity: 'info', message: 'Answered every time.', evidence: ['o1'] }],
    receiverProfile: 'established',
    receiverStability: 'stable',
    payTo: '0x1111111111111111111111111111111111111111',
    network: 'eip155:8453',
    priceUsd: 0.001,
    amountAtomic: '1000',
    uptime: { up: 9, down: 1, notMeasured: 0, pct: 90, lowerBound: 58.7, upperBound: 97.7 },
    payToHistory: [],
    priceHistory: [],
    terms: [],
    derivedAt,
    expiresAt: derivedAt + 2 * DAY,
    // A service judges a state of another version again when it starts.
    scoreVersion: SCORE_VERSION,
    ...changes,
  }
}
