// Made from the contract; a test keeps it so.

/** An amount in this window and the one before; pct is null when that was 0. */
export type AmountMetric = {
  current: TokenAmount
  previous: TokenAmount
  delta: SignedTokenAmount
  pct: number | null
  zScore: number | null
}

/** Something that became different at one endpoint. */
export type Change = {
  id: string
  kind: "service_gone_dark" | "payto_swap" | "price_jump" | "new_service" | "service_recovered"
  host: string
  endpoint: string
  at: string
  before: string | null
  after: string | null
  pct?: number | undefined
}

/** Changes of the last days, newest first. */
export type ChangeFeed = {
  asOf: string
  days: number
  limit: number
  count: number
  total: number
  truncated: boolean
  changes: (Change)[]
}

/** A count in this window and the one before; pct is null when that was 0. */
export type CountMetric = {
  current: number
  previous: number
  delta: number
  pct: number | null
  zScore: number | null
}

/** Everything: the audited services, best first, the audited MCP servers, the ecosystem, and the open incidents. */
export type DataFull = {
  asOf: string
  all: boolean
  limit: number
  count: number
  total: number
  truncated: boolean
  scoreVersion: string
  services: (DatasetRecord)[]
  mcpServerCount: number
  mcpServers: (McpServer)[]
  ecosystem: Ecosystem
  incidents: (Incident)[]
}

/** What the datasets hold, before they are bought: schema of a record, coverage, samples, prices. */
export type DataPreview = {
  asOf: string
  datasets: (DatasetOffer)[]
  schema: Record<string, unknown>
  coverage: {
    services: number
    liveServices: number
    endpoints: number
    liveEndpoints: number
    receivers: number
    directories: (string)[]
    incidents: number
    incidentsOpen: number
    changes: number
    firstSeen: string | null
  }
  samples: (DatasetRecord)[]
}

/** A dataset that is sold: where, for how much, and by which parameters. */
export type DatasetOffer = {
  id: string
  path: string
  url: string
  priceUsd: number
  summary: string
  parameters: Record<string, string>
  format: string
}

/** One service of the trust dataset: its profile, the receiver on chain, and what its endpoints asked over time. */
export type DatasetRecord = {
  host: string
  verdict: "safe" | "caution" | "avoid" | "unknown"
  label: "Safe to pay" | "Caution" | "Avoid" | "Unknown"
  trustScore: number | null
  liveness: string
  uptime: string
  pricePerCall: string
  network: string
  receiverStability: "new" | "stable" | "changed" | null
  riskLevel: "clean" | "low" | "medium" | "high"
  flags: ("unverifiable" | "price_drift" | "price_high" | "terms_disagree" | "payto_rotates" | "flaky" | "receiver_never_paid" | "network_testnet" | "asset_unknown" | "scheme_unsafe" | "payto_changed" | "price_bait" | "cloaked" | "no_delivery" | "receiver_unverified")[]
  listedBy: (string)[]
  firstSeen: string
  lastChecked: string | null
  probes: number
  endpoints: (EndpointRow)[]
  notice: string
  scoreVersion: string
  receiverProfile: "established" | "dormant" | null
  receiver: ReceiverFacts | null
  payToHistory: ({
    payTo: string
    from: string
    to: string | null
    proof: Proof
    endpoint: string
  })[]
  priceHistory: ({
    priceUsd: number | null
    amountAtomic: string
    from: string
    to: string | null
    endpoint: string
  })[]
}

/** A field that differs between the cached verdict and the live measurement. */
export type Drift = {
  field: string
  cached: string | null
  live: string | null
}

/** How many endpoints there are, by status. */
export type Ecosystem = {
  tracked: number
  live: number
  dead: number
  invalid: number
  unmeasured: number
  deadPct: number
}

/** One endpoint of a service. */
export type EndpointRow = {
  endpoint: string
  method: string
  status: "live" | "dark" | "invalid" | "unmeasured"
  verdict: "safe" | "caution" | "avoid" | "unknown"
  priceUsd: number | null
  trust: number | null
  flags: ("unverifiable" | "price_drift" | "price_high" | "terms_disagree" | "payto_rotates" | "flaky" | "receiver_never_paid" | "network_testnet" | "asset_unknown" | "scheme_unsafe" | "payto_changed" | "price_bait" | "cloaked" | "no_delivery" | "receiver_unverified")[]
}

/** Whether the paid live check is worth its price before paying this endpoint. */
export type Escalation = {
  recommended: boolean
  reason: string
  liveCheck: string
  priceUsd: number
}

/** Net flow of a token by address over a window of blocks. */
export type Flow = {
  token: TokenInfo
  window: TokenWindow
  summary: string
  caveats: (string)[]
  methodVersion: string
  ts: string
  addresses: number
  limit: number
  truncated: boolean
  topAccumulators: (FlowRow)[]
  topDistributors: (FlowRow)[]
  totals: {
    transfers: number
    volume: TokenAmount
    accumulated: TokenAmount
    distributed: TokenAmount
    mint: TokenAmount
    burn: TokenAmount
  }
  sumToZero: {
    netOfAddresses: SignedTokenAmount
    minted: TokenAmount
    burnedToZero: TokenAmount
    difference: SignedTokenAmount
    ok: boolean
  }
}

/** What one address received and sent. */
export type FlowRow = {
  address: string
  kind: "burn" | "mint" | "contract" | "eoa" | "pool" | "router" | "bridge" | "exchange" | "unknown"
  label: string | null
  labelSource: string | null
  in: TokenAmount
  out: TokenAmount
  net: SignedTokenAmount
  inCount: number
  outCount: number
  counterparties: number
}

/** A security incident at one endpoint, worded as what was measured. */
export type Incident = {
  id: string
  kind: "receiver_hijack" | "bait_and_switch" | "honeypot" | "unverified_receiver"
  severity: "warn" | "critical"
  status: "open" | "resolved"
  host: string
  endpoint: string
  detectedAt: string
  resolvedAt: string | null
  summary: string
  observations: (string)[]
  proof: Proof
  proofUrl: string
}

/** Incidents of the last days, newest first. */
export type IncidentFeed = {
  asOf: string
  days: number
  limit: number
  count: number
  total: number
  truncated: boolean
  incidents: (Incident)[]
}

/** One request made for a live check and what came back. */
export type LiveProbe = {
  observation: string
  at: string
  purpose: "scheduled" | "confirm" | "control" | "live"
  client: string
  method: string
  outcome: "up" | "down" | "not_measured"
  cause: string
  httpStatus: number | null
  latencyMs: number | null
}

/** A change of a package against the audit before. */
export type McpDrift = {
  code: string
  package: string
  at: string
  before: string
  after: string
}

/** What the package registry says of one package that an MCP server installs. Null is what it does not say. */
export type McpPackage = {
  name: string
  outcome: "found" | "absent" | "unpublished" | "not_measured"
  version: string | null
  versions: number
  createdAt: string | null
  publishedAt: string | null
  maintainers: (string)[] | null
  license: string | null
  repository: string | null
  installScripts: (string)[]
  hasProvenance: boolean | null
  isDeprecated: boolean
  integrity: string | null
  downloads: number | null
}

/** The safety audit of one MCP server. */
export type McpServer = {
  name: string
  directory: string
  title: string | null
  version: string | null
  verdict: "safe" | "caution" | "avoid" | "unknown"
  reasons: ({
    code: string
    severity: "info" | "warn" | "critical"
    package: string | null
    message: string
  })[]
  packages: (McpPackage)[]
  repository: string | null
  repositoryStatus: "present" | "gone" | "unknown"
  drift: (McpDrift)[]
  auditedAt: string
}

/** A window of a token against the adjacent one before it. */
export type Momentum = {
  token: TokenInfo
  window: TokenWindow
  summary: string
  caveats: (string)[]
  methodVersion: string
  ts: string
  previousWindow: {
    fromBlock: number
    toBlock: number
    complete: boolean
  }
  trailingWindows: number
  metrics: {
    transfers: CountMetric
    uniqueSenders: CountMetric
    uniqueReceivers: CountMetric
    uniqueAddresses: CountMetric
    volume: AmountMetric
    volumeWithoutRoundTrips: AmountMetric
    mint: AmountMetric
    burn: AmountMetric
    median: AmountMetric
    largest: AmountMetric
  }
  lowSample: boolean
  direction: {
    word: "rising" | "falling" | "mixed" | "flat" | "unclear"
    ruleId: string
    rule: string
  }
}

/** A stretch of time at one price. */
export type PricePeriod = {
  priceUsd: number | null
  amountAtomic: string
  from: string
  to: string | null
}

/** What went wrong and what would be right (RFC 9457). */
export type Problem = {
  type: string
  title: string
  status: number
  code: string
  detail: string
  errors?: ({
    parameter: string
    code: string
    message: string
  })[] | undefined
  receipt?: string | undefined
}

/** The public trust profile of one service: one host with its endpoints. */
export type Profile = {
  host: string
  verdict: "safe" | "caution" | "avoid" | "unknown"
  label: "Safe to pay" | "Caution" | "Avoid" | "Unknown"
  trustScore: number | null
  liveness: string
  uptime: string
  pricePerCall: string
  network: string
  receiver: "established" | "dormant" | null
  receiverStability: "new" | "stable" | "changed" | null
  riskLevel: "clean" | "low" | "medium" | "high"
  flags: ("unverifiable" | "price_drift" | "price_high" | "terms_disagree" | "payto_rotates" | "flaky" | "receiver_never_paid" | "network_testnet" | "asset_unknown" | "scheme_unsafe" | "payto_changed" | "price_bait" | "cloaked" | "no_delivery" | "receiver_unverified")[]
  listedBy: (string)[]
  firstSeen: string
  lastChecked: string | null
  probes: number
  endpoints: (EndpointRow)[]
  notice: string
  scoreVersion: string
}

/** Where on chain the facts behind an incident can be looked up. */
export type Proof = {
  chain: string
  address?: string | undefined
  txHash?: string | undefined
  logIndex?: number | undefined
  blockNumber: number | null
  explorerUrl: string
}

/** Activity of a token over a window of blocks. */
export type Pulse = {
  token: TokenInfo
  window: TokenWindow
  summary: string
  caveats: (string)[]
  methodVersion: string
  ts: string
  transfers: number
  zeroValueTransfers: number
  uniqueSenders: number
  uniqueReceivers: number
  uniqueAddresses: number
  volume: TokenAmount
  volumeWithoutRoundTrips: TokenAmount
  mint: {
    count: number
    raw: string
    amount: string | null
  }
  burn: {
    count: number
    raw: string
    amount: string | null
  }
  median: TokenAmount
  p95: TokenAmount
  largest: TokenAmount
  top10SharePct: number
  transfersPerBlock: number
  busiestBlock: {
    block: number
    transfers: number
  } | null
  series: ({
    fromBlock: number | null
    toBlock: number | null
    transfers: number
    volume: TokenAmount
  })[]
}

/** One finding behind a verdict: what was measured and the observations it rests on. */
export type Reason = {
  code: string
  severity: "info" | "warn" | "critical"
  message: string
  evidence: (string)[]
}

/** What the chain says about a receiver; counts are of USDC receipts. */
export type ReceiverFacts = {
  address: string
  network: string
  category: "established" | "dormant" | null
  isContract: boolean | null
  firstReceiptAt: string | null
  lastReceiptAt: string | null
  lastOutflowAt: string | null
  receipts30d: number
  receipts90d: number
  payers30d: number
  payers90d: number
  selfFundedPayers: number
  sharedByHosts: number | null
  blockNumber: number
}

/** A stretch of time in which an endpoint named one receiver. */
export type ReceiverPeriod = {
  payTo: string
  from: string
  to: string | null
  proof: Proof
}

/** The state of the ecosystem on one day, and how right the directories were about it. */
export type Report = {
  date: string
  asOf: string
  hosts: number
  tracked: number
  live: number
  dead: number
  invalid: number
  unmeasured: number
  deadPct: number
  medianPriceUsd: number | null
  riskByLevel: Record<"clean" | "low" | "medium" | "high", number>
  byVerdict: Record<"safe" | "caution" | "avoid" | "unknown", number>
  flagCounts: Record<string, number>
  incidentsOpen: number
  incidentsNew: number
  changes: Record<"service_gone_dark" | "payto_swap" | "price_jump" | "new_service" | "service_recovered", number>
  scoreVersion: string
  directories: ({
    directory: string
    listed: number
    claimedHealthy: number
    working: number
    accuracyPct: number | null
  })[]
  summary: string
}

/** One day of the series of reports. */
export type ReportDay = {
  date: string
  asOf: string
  hosts: number
  tracked: number
  live: number
  dead: number
  invalid: number
  unmeasured: number
  deadPct: number
  medianPriceUsd: number | null
  riskByLevel: Record<"clean" | "low" | "medium" | "high", number>
  byVerdict: Record<"safe" | "caution" | "avoid" | "unknown", number>
  flagCounts: Record<string, number>
  incidentsOpen: number
  incidentsNew: number
  changes: Record<"service_gone_dark" | "payto_swap" | "price_jump" | "new_service" | "service_recovered", number>
  scoreVersion: string
}

/** The latest report and the series of daily ones, oldest first. Without a report yet, `latest` is null. */
export type ReportFeed = {
  asOf: string
  latest: Report | null
  count: number
  series: (ReportDay)[]
}

/** How many services stand at each level, flag, verdict and directory. */
export type RiskMap = {
  byLevel: Record<string, number>
  byFlag: Record<string, number>
  byVerdict: Record<string, number>
  byDirectory: Record<string, number>
}

/** One check of the scan and its outcome. */
export type ScanCheck = {
  id: string
  outcome: "pass" | "fail" | "unknown"
  severity: "info" | "warn" | "critical"
  evidence: (string)[]
}

/** The specification of the trust score: bands, factors, flags, verdict rules, caps and changelog. */
export type ScoreSpec = {
  version: string
  bands: ({
    id: "excellent" | "good" | "fair" | "poor" | "bad"
    min: number
    max: number
  })[]
  factors: ({
    id: string
    name: string
    min: number
    max: number
    when: string
  })[]
  flags: ({
    id: "unverifiable" | "price_drift" | "price_high" | "terms_disagree" | "payto_rotates" | "flaky" | "receiver_never_paid" | "network_testnet" | "asset_unknown" | "scheme_unsafe" | "payto_changed" | "price_bait" | "cloaked" | "no_delivery" | "receiver_unverified"
    risk: "clean" | "low" | "medium" | "high"
    meaning: string
    fix: string
  })[]
  verdictRules: ({
    verdict: "safe" | "caution" | "avoid" | "unknown"
    when: string
  })[]
  caps: ({
    incident: string
    maxScore: number
  })[]
  thresholds: Record<string, number>
  changelog: ({
    version: string
    date: string
    changes: (string)[]
  })[]
}

/** A difference of amounts, below zero where it is a loss. */
export type SignedTokenAmount = {
  raw: string
  amount: string | null
}

/** The state of the ecosystem as last measured. */
export type StatusFeed = {
  asOf: string
  ecosystem: Ecosystem
  catalogAudit: ({
    directory: string
    listed: number
    claimedHealthy: number
    working: number
    accuracyPct: number | null
  })[]
  security: {
    riskByLevel: Record<string, number>
    flagCounts: Record<string, number>
  }
  receiverStability: Record<string, number>
  receiverOnchain: Record<string, number>
  topHealthy: (EndpointRow)[]
  topProviders: ({
    host: string
    live: number
    trustScore: number | null
  })[]
  dataset: {
    priceUsd: number
    endpoint: string
    liveServices: number
    format: string
    preview: (DatasetRecord)[]
  }
}

/** Payment terms that were measured at the endpoint; amounts in the smallest unit of the asset. */
export type Term = {
  x402Version: 1 | 2
  scheme: string
  network: string
  asset: string
  payTo: string
  amountAtomicMin: string
  amountAtomicMax: string
  method: string
}

/** An address, what it is and where that is known from. */
export type TokenAddress = {
  address: string
  kind: "burn" | "mint" | "contract" | "eoa" | "pool" | "router" | "bridge" | "exchange" | "unknown"
  label: string | null
  labelSource: string | null
}

/** An amount in the smallest unit, and in token units where the decimals are known. */
export type TokenAmount = {
  raw: string
  amount: string | null
}

/** What the token contract says of itself. */
export type TokenInfo = {
  address: string
  name: string | null
  symbol: string | null
  decimals: number | null
  decimalsSource: "call" | "bytes32" | "unknown"
  isContract: boolean
  warnings: (string)[]
}

/** The blocks that the figures rest on. */
export type TokenWindow = {
  name: "5m" | "15m" | "1h" | "6h" | "24h"
  fromBlock: number
  toBlock: number
  fromTime: string
  toTime: string
  headLagBlocks: number
  finality: "latest" | "safe" | "finalized"
  complete: boolean
  truncated: boolean
  ranges: ({
    from: number
    to: number
  })[]
}

/** The working services, best first, and the risk map of the ecosystem. */
export type TrustCatalog = {
  asOf: string
  services: (Profile)[]
  riskMap: RiskMap
}

/** The audited services, best first. */
export type TrustDataset = {
  asOf: string
  all: boolean
  limit: number
  count: number
  total: number
  truncated: boolean
  scoreVersion: string
  services: (DatasetRecord)[]
}

/** The track record of one endpoint. */
export type TrustHistory = {
  endpoint: string
  firstSeen: string
  uptime: {
    pct: number | null
    probes: number
    windowDays: number
    lowerBound: number | null
    upperBound: number | null
  }
  daily: ({
    date: string
    up: number
    down: number
    notMeasured: number
    latencyMsP50: number | null
    latencyMsP90: number | null
  })[]
  payToHistory: (ReceiverPeriod)[]
  priceHistory: (PricePeriod)[]
  changes: (Change)[]
  incidents: (Incident)[]
  trend: {
    direction: "improving" | "stable" | "degrading"
    basis: string
  }
}

/** The verdict of one endpoint, measured now. */
export type TrustLive = {
  endpoint: string
  known: boolean
  match: "exact" | "template" | "none"
  status: "live" | "dark" | "invalid" | "unmeasured" | null
  live: {
    alive: boolean
    probes: (LiveProbe)[]
  }
  score?: number | undefined
  verdict: "safe" | "caution" | "avoid" | "unknown"
  label: "Safe to pay" | "Caution" | "Avoid" | "Unknown"
  band?: "excellent" | "good" | "fair" | "poor" | "bad" | undefined
  riskLevel: "clean" | "low" | "medium" | "high"
  flags: ("unverifiable" | "price_drift" | "price_high" | "terms_disagree" | "payto_rotates" | "flaky" | "receiver_never_paid" | "network_testnet" | "asset_unknown" | "scheme_unsafe" | "payto_changed" | "price_bait" | "cloaked" | "no_delivery" | "receiver_unverified")[]
  degraded: boolean
  reasons: (Reason)[]
  receiverProfile: "established" | "dormant" | null
  receiverStability: "new" | "stable" | "changed" | null
  priceUsd: number | null
  uptimePct: number | null
  probes: number
  terms: (Term)[]
  firstSeen: string | null
  lastChecked: string | null
  checkedAt: string | null
  ts: string
  cacheAgeHours: number | null
  expiresAt: string | null
  advice: string
  escalation: Escalation
  scoreVersion: string
  profile: string
  signature?: string | undefined
  scan: {
    checks: (ScanCheck)[]
  }
  drift: (Drift)[]
  receiver: ReceiverFacts | null
}

/** The cached trust verdict of one endpoint. */
export type Verdict = {
  endpoint: string
  known: boolean
  match: "exact" | "template" | "none"
  status: "live" | "dark" | "invalid" | "unmeasured" | null
  live?: boolean | undefined
  score?: number | undefined
  verdict: "safe" | "caution" | "avoid" | "unknown"
  label: "Safe to pay" | "Caution" | "Avoid" | "Unknown"
  band?: "excellent" | "good" | "fair" | "poor" | "bad" | undefined
  riskLevel: "clean" | "low" | "medium" | "high"
  flags: ("unverifiable" | "price_drift" | "price_high" | "terms_disagree" | "payto_rotates" | "flaky" | "receiver_never_paid" | "network_testnet" | "asset_unknown" | "scheme_unsafe" | "payto_changed" | "price_bait" | "cloaked" | "no_delivery" | "receiver_unverified")[]
  degraded: boolean
  reasons: (Reason)[]
  receiverProfile: "established" | "dormant" | null
  receiverStability: "new" | "stable" | "changed" | null
  priceUsd: number | null
  uptimePct: number | null
  probes: number
  terms: (Term)[]
  firstSeen: string | null
  lastChecked: string | null
  checkedAt: string | null
  ts: string
  cacheAgeHours: number | null
  expiresAt: string | null
  advice: string
  escalation: Escalation
  scoreVersion: string
  profile: string
  signature?: string | undefined
}

/** Large transfers of a token over a window of blocks, largest first. */
export type Whales = {
  token: TokenInfo
  window: TokenWindow
  summary: string
  caveats: (string)[]
  methodVersion: string
  ts: string
  threshold: {
    raw: string
    amount: string | null
    rule: "given" | "p99" | "tenth-largest"
    statement: string
  }
  matched: number
  matchedVolume: TokenAmount
  limit: number
  count: number
  truncated: boolean
  rows: ({
    txHash: string
    logIndex: number
    block: number
    time: string
    from: TokenAddress
    to: TokenAddress
    raw: string
    amount: string | null
    shareOfVolumePct: number
  })[]
  totals: {
    intoContracts: TokenAmount
    outOfContracts: TokenAmount
    mint: TokenAmount
    burn: TokenAmount
  }
}

/** What each operation is asked; what has a default may be left out. */
export type OperationQueries = {
  /** Cached trust verdict of one endpoint, signed. */
  verify: {
    /** The x402 endpoint as an absolute http or https URL; its query and fragment are ignored. */
    endpoint: string
  }
  /** With an endpoint: its verdict measured now, with scan, drift and receiver. Without: the working services and the risk map. */
  trust: {
    /** The x402 endpoint as an absolute http or https URL; its query and fragment are ignored. */
    endpoint?: string | undefined
  }
  /** Track record of one endpoint: uptime, receivers, prices, changes, incidents, trend. */
  trustHistory: {
    /** The x402 endpoint as an absolute http or https URL; its query and fragment are ignored. */
    endpoint: string
  }
  /** Bulk trust dataset: each service with score, verdict, flags, receiver on chain and histories. */
  trustDataset: {
    /** 1 includes services that are dead, invalid or not measured; without it they are left out. */
    all?: boolean | undefined
    /** How many services at the most, best first; more than the maximum is clamped. */
    limit?: number | undefined
  }
  /** Full data: every audited service, safety audits of MCP servers, the ecosystem, open incidents with proof. */
  dataFull: {
    /** 1 includes services that are dead, invalid or not measured; without it they are left out. */
    all?: boolean | undefined
    /** How many services at the most, best first; more than the maximum is clamped. */
    limit?: number | undefined
  }
  /** Activity of a token over a window: transfers, addresses, volume, mints, burns, concentration, series. */
  pulse: {
    /** The ERC-20 token, by its contract address on the network that the service is paid on. */
    token: string
    /** How far back from the newest block; the answer names the blocks. */
    window?: "5m" | "15m" | "1h" | "6h" | "24h" | undefined
    /** 1 takes what could be read in time, marked as incomplete; without it such a call is refused and not charged. */
    partial?: boolean | undefined
  }
  /** Large transfers of a token over a window, largest first, and what went into and out of contracts. */
  whales: {
    /** The ERC-20 token, by its contract address on the network that the service is paid on. */
    token: string
    /** The least amount that counts as large, in token units; without it the answer states the rule that it was derived by. */
    min?: string | undefined
    /** How far back from the newest block; the answer names the blocks. */
    window?: "5m" | "15m" | "1h" | "6h" | "24h" | undefined
    /** 1 takes what could be read in time, marked as incomplete; without it such a call is refused and not charged. */
    partial?: boolean | undefined
  }
  /** Net flow of a token by address over a window: who gained, who gave, and that it all adds up to zero. */
  flow: {
    /** The ERC-20 token, by its contract address on the network that the service is paid on. */
    token: string
    /** How far back from the newest block; the answer names the blocks. */
    window?: "5m" | "15m" | "1h" | "6h" | "24h" | undefined
    /** 1 takes what could be read in time, marked as incomplete; without it such a call is refused and not charged. */
    partial?: boolean | undefined
  }
  /** A window of a token against the adjacent one before it: each figure with its change, and a direction. */
  momentum: {
    /** The ERC-20 token, by its contract address on the network that the service is paid on. */
    token: string
    /** How far back from the newest block; the answer names the blocks. */
    window?: "5m" | "15m" | "1h" | "6h" | "24h" | undefined
    /** 1 takes what could be read in time, marked as incomplete; without it such a call is refused and not charged. */
    partial?: boolean | undefined
  }
  /** State of the ecosystem: liveness, directory accuracy, risk map, receivers, dataset preview. */
  status: Record<string, never>
  /** Security incidents with on-chain proof, newest first. */
  incidents: {
    /** How many days to look back. */
    days?: number | undefined
    /** How many records at the most; more than the maximum is clamped. */
    limit?: number | undefined
  }
  /** Recent changes: services gone dark, receivers swapped, prices jumped, new services. */
  changes: {
    /** How many days to look back. */
    days?: number | undefined
    /** How many records at the most; more than the maximum is clamped. */
    limit?: number | undefined
  }
  /** State-of-the-ecosystem report, and the series of daily ones. */
  reports: Record<string, never>
  /** What the datasets hold, before they are bought: schema, coverage, samples, prices. */
  data: Record<string, never>
  /** Specification of the trust score: bands, factors, flags, verdict rules, versions. */
  trustScore: Record<string, never>
}

/** What each operation answers; where there are several answers, the query decides which one it is. */
export type OperationAnswers = {
  verify: Verdict
  trust: TrustLive | TrustCatalog
  trustHistory: TrustHistory
  trustDataset: TrustDataset
  dataFull: DataFull
  pulse: Pulse
  whales: Whales
  flow: Flow
  momentum: Momentum
  status: StatusFeed
  incidents: IncidentFeed
  changes: ChangeFeed
  reports: ReportFeed
  data: DataPreview
  trustScore: ScoreSpec
}
