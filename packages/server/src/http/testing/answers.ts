import { ProblemError } from '../../lib/problemError.ts'
import { describeUnknown } from '../../publish/verdict.ts'
import type { Answers, FreeAnswer, OperationQuery } from '../deps.ts'

const AT = '2026-01-31T12:00:00.000Z'

const CONTEXT = { publicUrl: 'https://trust.example', liveCheckPriceUsd: 0.005, now: Date.parse(AT) }

const NOTHING = { raw: '0', amount: '0' } as const
const NO_CHANGE = { pct: null, noPrior: true, zScore: null } as const
const NO_COUNT = { current: 0, previous: 0, delta: 0, ...NO_CHANGE }
const NO_AMOUNT = { current: NOTHING, previous: NOTHING, delta: NOTHING, ...NO_CHANGE }

const emptyFeed = (days: number, limit: number) => ({
  asOf: AT,
  days,
  since: null,
  limit,
  count: 0,
  total: 0,
  truncated: false,
  nextCursor: null,
})

/** The common fields of token answers, over one block without transfers. */
const tokenFrame = (address: string, name: '5m' | '15m' | '1h' | '6h' | '24h') => ({
  token: {
    address,
    name: 'Token',
    symbol: 'TKN',
    decimals: 6,
    decimalsSource: 'call' as const,
    isContract: true,
    implementation: null,
    warnings: [],
  },
  window: {
    name,
    fromBlock: 1,
    toBlock: 1,
    fromTime: AT,
    toTime: AT,
    headLagBlocks: 0,
    finality: 'finalized' as const,
    complete: true,
    truncated: false,
    ranges: [{ from: 1, to: 1 }],
  },
  summary: 'No transfers.',
  caveats: [],
  methodVersion: '1.0.0',
  ts: AT,
})

/** Returns the smallest valid answer of each operation; `/trust/history` knows only `https://known.example/`. */
export function createSmallAnswers(): {
  verify(query: OperationQuery<'verify'>): Promise<FreeAnswer<'verify'>>
} & Answers {
  return {
    verify: async ({ endpoint }) => ({ body: describeUnknown(endpoint, CONTEXT) }),
    status: async () => ({
      body: {
        asOf: AT,
        ecosystem: { tracked: 0, live: 0, dead: 0, invalid: 0, unmeasured: 0, deadPct: 0 },
        catalogAudit: [],
        security: { riskByLevel: {}, flagCounts: {} },
        receiverStability: {},
        receiverOnchain: {},
        topHealthy: [],
        topProviders: [],
        dataset: {
          priceUsd: 0.1,
          endpoint: 'https://trust.example/trust/dataset',
          liveServices: 0,
          format: 'application/json',
          preview: [],
        },
      },
    }),
    incidents: async ({ days, limit }) => ({
      body: { ...emptyFeed(days, limit), incidents: [] },
    }),
    changes: async ({ days, limit }) => ({
      body: { ...emptyFeed(days, limit), changes: [] },
    }),
    reports: async () => ({ body: { asOf: AT, latest: null, count: 0, series: [] } }),
    trustScore: async () => ({
      body: {
        version: '1.0.0',
        bands: [],
        factors: [],
        flags: [],
        verdictRules: [],
        caps: [],
        thresholds: {},
        changelog: [],
      },
    }),
    data: async () => ({
      body: {
        asOf: AT,
        datasets: [],
        schema: {},
        schemas: { mcpServer: {}, ecosystem: {}, incident: {} },
        coverage: {
          services: 0,
          liveServices: 0,
          endpoints: 0,
          liveEndpoints: 0,
          receivers: 0,
          directories: [],
          incidents: 0,
          incidentsOpen: 0,
          changes: 0,
          mcpServers: 0,
          firstSeen: null,
        },
        samples: [],
        mcpServers: [],
        ecosystem: { tracked: 0, live: 0, dead: 0, invalid: 0, unmeasured: 0, deadPct: 0 },
        incidents: [],
      },
    }),
    dataSample: async () => ({
      body: {
        asOf: AT,
        service: null,
        mcpServer: null,
        incident: null,
        ecosystem: { tracked: 0, live: 0, dead: 0, invalid: 0, unmeasured: 0, deadPct: 0 },
      },
    }),
    mcpDrift: async ({ days }) => ({
      body: { asOf: AT, days, count: 0, total: 0, truncated: false, events: [] },
    }),
    mcpReport: async () => ({
      body: {
        asOf: AT,
        current: { audited: 0, byVerdict: { safe: 0, caution: 0, avoid: 0, unknown: 0 } },
        deltas: { days: 7, count: 0, byKind: {} },
        live: { riskySample: [] },
      },
    }),
    trustDataset: async ({ all, limit }) => ({
      asOf: AT,
      all,
      limit,
      count: 0,
      total: 0,
      truncated: false,
      scoreVersion: '1.0.0',
      services: [],
    }),
    dataFull: async ({ all, limit }) => ({
      asOf: AT,
      all,
      limit,
      count: 0,
      total: 0,
      truncated: false,
      scoreVersion: '1.0.0',
      services: [],
      mcpServerCount: 0,
      mcpServers: [],
      ecosystem: { tracked: 0, live: 0, dead: 0, invalid: 0, unmeasured: 0, deadPct: 0 },
      incidents: [],
    }),
    pulse: async ({ token, window }) => ({
      ...tokenFrame(token, window),
      transfers: 0,
      zeroValueTransfers: 0,
      uniqueSenders: 0,
      uniqueReceivers: 0,
      uniqueAddresses: 0,
      volume: NOTHING,
      volumeWithoutRoundTrips: NOTHING,
      mint: { count: 0, ...NOTHING },
      burn: { count: 0, ...NOTHING },
      median: NOTHING,
      p95: NOTHING,
      largest: NOTHING,
      top10SharePct: 0,
      transfersPerBlock: 0,
      busiestBlock: null,
      series: [],
    }),
    whales: async ({ token, window }) => ({
      ...tokenFrame(token, window),
      threshold: { raw: '1', amount: '0.000001', rule: 'tenth-largest', statement: 'The tenth largest.' },
      matched: 0,
      matchedVolume: NOTHING,
      limit: 100,
      count: 0,
      truncated: false,
      rows: [],
      totals: { intoContracts: NOTHING, outOfContracts: NOTHING, mint: NOTHING, burn: NOTHING },
    }),
    flow: async ({ token, window }) => ({
      ...tokenFrame(token, window),
      addresses: 0,
      limit: 25,
      truncated: false,
      topAccumulators: [],
      topDistributors: [],
      totals: {
        transfers: 0,
        volume: NOTHING,
        accumulated: NOTHING,
        distributed: NOTHING,
        mint: NOTHING,
        burn: NOTHING,
      },
      sumToZero: {
        netOfAddresses: NOTHING,
        listed: NOTHING,
        others: NOTHING,
        minted: NOTHING,
        burnedToZero: NOTHING,
        difference: NOTHING,
        ok: true,
      },
    }),
    momentum: async ({ token, window }) => ({
      ...tokenFrame(token, window),
      previousWindow: { fromBlock: 0, toBlock: 0, fromTime: AT, toTime: AT, complete: true },
      trailingWindows: 0,
      metrics: {
        transfers: NO_COUNT,
        uniqueSenders: NO_COUNT,
        uniqueReceivers: NO_COUNT,
        uniqueAddresses: NO_COUNT,
        volume: NO_AMOUNT,
        volumeWithoutRoundTrips: NO_AMOUNT,
        mint: NO_AMOUNT,
        burn: NO_AMOUNT,
        median: NO_AMOUNT,
        largest: NO_AMOUNT,
      },
      lowSample: true,
      direction: { word: 'unclear', ruleId: 'none', rule: 'none' },
    }),
    trust: async () => ({
      asOf: AT,
      services: [],
      riskMap: { byLevel: {}, byFlag: {}, byVerdict: {}, byDirectory: {} },
    }),
    trustHistory: async ({ endpoint }) => {
      if (endpoint !== 'https://known.example/') {
        throw new ProblemError(404, 'never_seen', 'This endpoint is unknown.')
      }
      return {
        endpoint,
        firstSeen: '2026-01-31',
        darkSince: null,
        uptime: { pct: null, probes: 0, windowDays: 30, lowerBound: null, upperBound: null },
        daily: [],
        payToHistory: [],
        priceHistory: [],
        changes: [],
        incidents: [],
        trend: { direction: 'stable', basis: 'too few measurements' },
      }
    },
  }
}
