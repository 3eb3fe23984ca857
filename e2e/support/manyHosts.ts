import type { Store } from '@touchstone402/server/parts'

type HostDocument = Parameters<Store['putHost']>[0]
type EndpointState = HostDocument['endpoints'][number]

const NETWORK = 'eip155:8453'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** Returns the name of a host by its number. Names sort by number. */
export const hostName = (number: number) => `api-${String(number).padStart(6, '0')}.example.com`

/** Creates the document of a host that was audited for a month, with all endpoints probed a minute before `now`. */
export function aHost(number: number, now: number, endpoints = 1): HostDocument {
  const host = hostName(number)
  return {
    host,
    endpoints: Array.from({ length: endpoints }, (_, index) => anEndpoint(host, index, number, now)),
    updatedAt: now,
  }
}

function anEndpoint(host: string, index: number, number: number, now: number): EndpointState {
  const endpoint = `https://${host}/v1/resource/${index}`
  const payTo = `0x${(number + 1).toString(16).padStart(40, '0')}`
  const [looked, month] = [now - 60_000, now - 30 * 86_400_000]
  const period = { from: new Date(month).toISOString(), to: null }
  const explorerUrl = `https://basescan.org/address/${payTo}`
  return {
    endpoint,
    host,
    method: 'GET',
    listedBy: ['402index', 'bazaar'],
    listings: [],
    category: 'data',
    categoryPrice: { medianUsd: 0.01, count: 40 },
    firstSeen: month,
    lastChecked: looked,
    confirmedAt: looked,
    // Recent enough that nothing is due.
    nextProbeAt: now + 6 * 3_600_000,
    status: 'live',
    degraded: false,
    receiverUnconfirmed: false,
    doubtful: false,
    verdict: 'safe',
    score: 75 + (number % 26),
    band: 'good',
    scored: {
      conformance: { foreignResource: false, undeclaredInput: false, misplacedChallenge: false },
      proof: { delivered: false, signed: false },
      priceJumps: 0,
      openIncidents: [],
    },
    riskLevel: 'clean',
    flags: [],
    reasons: [],
    receiverProfile: 'established',
    receiverStability: 'stable',
    payTo,
    network: NETWORK,
    priceUsd: 0.01,
    amountAtomic: '10000',
    uptime: { up: 119, down: 1, notMeasured: 0, pct: 99.17, lowerBound: 95.4, upperBound: 99.9 },
    payToHistory: [{ payTo, ...period, proof: { chain: NETWORK, blockNumber: 100, explorerUrl } }],
    priceHistory: [{ priceUsd: 0.01, amountAtomic: '10000', ...period }],
    terms: [
      {
        x402Version: 2,
        scheme: 'exact',
        network: NETWORK,
        asset: USDC,
        payTo,
        amountAtomicMin: '10000',
        amountAtomicMax: '10000',
        method: 'GET',
      },
    ],
    derivedAt: looked,
    expiresAt: looked + 48 * 3_600_000,
    scoreVersion: '1.1.0',
  }
}
