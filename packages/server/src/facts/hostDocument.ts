import type {
  Band,
  Delivery,
  Flag,
  IncidentKind,
  PricePeriod,
  Reason,
  ReceiverPeriod,
  Status,
  Term,
  Verdict,
} from '@touchstone402/shared'
import type { Listing, ShoppingLimits, Time } from './facts.ts'

/** A receiver that was added beside others, and the first and last probe in a row that named both. */
export type AddedReceiver = { readonly payTo: string; readonly from: Time; readonly to: Time }

/** Uptime of an endpoint within the window. */
export type Uptime = {
  readonly up: number
  readonly down: number
  readonly notMeasured: number
  /** `up / (up + down)` in percent, two decimals; null below 3 probes. */
  readonly pct: number | null
  /** Bounds of the 95 % credible interval in percent, two decimals; null below 3 probes. */
  readonly lowerBound: number | null
  readonly upperBound: number | null
}

/** An open critical incident of another endpoint, as a judgement reads it. */
export type Accusation = {
  /** Its id. */
  readonly incident: string
  readonly kind: IncidentKind
  readonly host: string
  readonly endpoint: string
  readonly detectedAt: Time
  /** The receiver that it is about, and when its host first named it. */
  readonly network: string
  readonly payTo: string
  readonly namedAt: Time
  /** Whether one of our purchases at the accused host paid the receiver, so that it counts at other hosts. @default false */
  readonly isPaid?: true
}

/** Median price of comparable endpoints in dollars, and their number. */
export type CategoryPrice = {
  readonly medianUsd: number
  readonly count: number
  /** Whether they are everything listed, for an endpoint without a category. @default false */
  readonly isWhole?: boolean
}

/** Evidence of a score that no other field of the derived state holds. */
export type ScoreEvidence = {
  /** Departures from the protocol. */
  readonly conformance: {
    /** The challenge's `resource` names another origin. */
    readonly foreignResource: boolean
    /** The endpoint needs input, which neither its challenge nor a listing declares. */
    readonly undeclaredInput: boolean
    /** Every offer is where stock clients do not look: v2 in the body, v1 in the header. */
    readonly misplacedChallenge: boolean
  }
  readonly proof: {
    /** The last test purchase was delivered, within 30 days. */
    readonly delivered: boolean
    /** The receiver signed for the host. */
    readonly signed: boolean
  }
  /** Price jumps within 30 days. */
  readonly priceJumps: number
  readonly openIncidents: readonly IncidentKind[]
}

/** The derived state of one endpoint. */
export type EndpointState = Readonly<
  Pick<
    Verdict,
    | 'endpoint'
    | 'priceUsd'
    | 'receiverProfile'
    | 'receiverStability'
    | 'riskLevel'
    | 'scoreVersion'
    | 'verdict'
  >
> & {
  readonly host: string
  readonly method: string
  readonly listedBy: readonly string[]
  readonly listings: readonly Listing[]
  readonly category: string | null
  /** The price of comparable endpoints at the time of the judgement, if known. */
  readonly categoryPrice: CategoryPrice | null
  /** The older listed host whose name looks like this one's, at the time of the judgement. Absent without one. */
  readonly lookalike?: string
  readonly firstSeen: Time
  readonly lastChecked: Time | null
  /** Time of the last probe that confirms the status. */
  readonly confirmedAt: Time | null
  readonly nextProbeAt: Time
  readonly status: Status
  /** Time of the first failed probe of the outage, while dark or invalid. */
  readonly darkSince: Time | null
  /** Whether the last probes contradict the status and are not confirmed yet. */
  readonly degraded: boolean
  /** Whether the last probes name another receiver that is not confirmed yet. */
  readonly receiverUnconfirmed: boolean
  /** Whether the last probes, at least 3 in a row, were refused, or uptime alone cost a Safe within 24 h. */
  readonly doubtful: boolean
  readonly score: number | null
  readonly band: Band | null
  readonly scored: ScoreEvidence
  readonly flags: readonly Flag[]
  readonly reasons: readonly Reason[]
  readonly payTo: string | null
  readonly network: string | null
  readonly amountAtomic: string | null
  /** Outcome of the test purchases. Absent in states from before score 1.3.0. */
  readonly delivery?: Delivery
  /** Limits of the test purchases at the time of the judgement; null without any. Absent like `delivery`. */
  readonly shopping?: ShoppingLimits | null
  readonly uptime: Uptime
  /** Recent receivers, oldest first. */
  readonly payToHistory: readonly ReceiverPeriod[]
  /** Recent prices, oldest first. */
  readonly priceHistory: readonly PricePeriod[]
  /** Receivers that stand beside those of the current period for less than 30 days. Absent without any. */
  readonly addedReceivers?: readonly AddedReceiver[]
  readonly terms: readonly Term[]
  /** Whether it has an open critical incident. Absent without one. */
  readonly underIncident?: true
  /** Open incidents of other endpoints that count against this one. Absent without any. */
  readonly accusations?: readonly Accusation[]
  /** Other hosts of the same site that challenges name as their resource. */
  readonly resourceHosts?: readonly string[]
  /** Time of the judgement; also the decision's `seq`. */
  readonly derivedAt: Time
  readonly expiresAt: Time | null
}

/** The derived state of one host. */
export type HostDocument = {
  readonly host: string
  readonly endpoints: readonly EndpointState[]
  readonly updatedAt: Time
}

/** Fields of an endpoint on its profile. */
export type EndpointBrief = Pick<
  EndpointState,
  | 'endpoint'
  | 'method'
  | 'listedBy'
  | 'category'
  | 'firstSeen'
  | 'lastChecked'
  | 'confirmedAt'
  | 'expiresAt'
  | 'status'
  | 'darkSince'
  | 'receiverUnconfirmed'
  | 'doubtful'
  | 'score'
  | 'riskLevel'
  | 'flags'
  | 'receiverProfile'
  | 'receiverStability'
  | 'payTo'
  | 'network'
  | 'priceUsd'
  | 'delivery'
  | 'uptime'
  | 'scoreVersion'
  | 'underIncident'
>

/** Fields of an endpoint in lists and totals. */
export type EndpointRow = EndpointBrief & {
  /** Directories that list the endpoint as not working. */
  readonly unhealthyIn: readonly string[]
  /** Whether every offer is on a network, or in a form, that is not known. */
  readonly networkUnknown: boolean
  /** Whether the host declines probes. Absent in rows from before it was recorded. */
  readonly optedOut?: boolean
  /** Whether it returned terms, but the documents of its host could not be read. Absent if not. */
  readonly documentsUnread?: boolean
}

/** Fields of a host in lists and totals. */
export type HostSummary = {
  readonly host: string
  /** By endpoint. */
  readonly endpoints: readonly EndpointRow[]
  readonly updatedAt: Time
}

/** Place of a host in lists, as of a time. */
export type HostRank = {
  /** 1000 for each place of the verdict, best first, and 100 less the score; 101 without one. */
  readonly rank: number
  /** Number of live endpoints that are listed. */
  readonly live: number
  readonly firstSeen: Time
  /** Time from which it differs, since a verdict expires then; null if none does. */
  readonly validUntil: Time | null
}
