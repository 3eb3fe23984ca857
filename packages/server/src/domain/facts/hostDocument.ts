import type {
  Band,
  Flag,
  IncidentKind,
  PricePeriod,
  Reason,
  ReceiverPeriod,
  ReceiverStability,
  RiskLevel,
  Status,
  Term,
  VerdictCode,
} from '@touchstone402/shared'
import type { Listing, Time } from './facts.ts'

/** How often an endpoint was up within the window. */
export type Uptime = {
  readonly up: number
  readonly down: number
  readonly notMeasured: number
  /** `up / (up + down)` in percent, two decimals, or null below 3 probes. */
  readonly pct: number | null
  /** Bounds of the 95 % credible interval in percent, two decimals, or null below 3 probes. */
  readonly lowerBound: number | null
  readonly upperBound: number | null
}

/** What comparable endpoints cost: median in dollars of a category, and how many there are. */
export type CategoryPrice = { readonly medianUsd: number; readonly count: number }

/** Evidence of a score that stands nowhere else in what was derived for an endpoint. */
export type ScoreEvidence = {
  readonly conformance: {
    readonly versionsAgree: boolean
    readonly resourceOrigin: boolean
    readonly inputDeclared: boolean
  }
  /** Price jumps within 30 days. */
  readonly priceJumps: number
  readonly openIncidents: readonly IncidentKind[]
}

/** What was derived for one endpoint, with the observations it rests on. */
export type EndpointState = {
  readonly endpoint: string
  readonly host: string
  readonly method: string
  readonly listedBy: readonly string[]
  readonly listings: readonly Listing[]
  readonly category: string | null
  /** What the category cost when the price was held against it; null where there was nothing to compare with. */
  readonly categoryPrice: CategoryPrice | null
  readonly firstSeen: Time
  readonly lastChecked: Time | null
  /** The last look that bears the status out: an `up` of what is live, a `down` of what is not. */
  readonly confirmedAt: Time | null
  readonly nextProbeAt: Time
  readonly status: Status
  /** A fault was seen and awaits its confirmation; the status before it still stands. */
  readonly degraded: boolean
  /** The last looks name another receiver, and nothing has settled yet what that means. */
  readonly receiverUnconfirmed: boolean
  readonly verdict: VerdictCode
  readonly score: number | null
  readonly band: Band | null
  /** What the score rests on besides the fields below. */
  readonly scored: ScoreEvidence
  readonly riskLevel: RiskLevel
  readonly flags: readonly Flag[]
  readonly reasons: readonly Reason[]
  readonly receiverProfile: 'established' | 'dormant' | null
  readonly receiverStability: ReceiverStability
  readonly payTo: string | null
  readonly network: string | null
  readonly priceUsd: number | null
  readonly amountAtomic: string | null
  readonly uptime: Uptime
  /** The last receivers and prices, oldest first. */
  readonly payToHistory: readonly ReceiverPeriod[]
  readonly priceHistory: readonly PricePeriod[]
  readonly terms: readonly Term[]
  /** Milliseconds since 1970 at which this was derived; also the decision's `seq`. */
  readonly derivedAt: Time
  readonly expiresAt: Time | null
  readonly scoreVersion: string
}

/** The derived state of one host; the unit in which documents are written. */
export type HostDocument = {
  readonly host: string
  readonly endpoints: readonly EndpointState[]
  readonly updatedAt: Time
}
