import type { Change, Disagreement, Incident, ReceiverCategory, Report } from '@touchstone402/shared'

/** Milliseconds since 1970, UTC, by the audit's clock. */
export type Time = number

/** What a directory says of an endpoint: a claim, never a measurement. Recorded when it is new or changed. */
export type Listing = {
  readonly kind: 'listing'
  readonly id: string
  readonly at: Time
  /** The directory's name, such as `bazaar` or `402index`. */
  readonly directory: string
  /** Canonical key; may hold template segments. */
  readonly endpoint: string
  readonly host: string
  /** What to ask for: the listed URL with a sample query where one is declared. */
  readonly url: string
  /** The declared method, or null where the row names none. */
  readonly method: string | null
  /** The declared sample body, as JSON text. */
  readonly body: string | null
  readonly declaresInput: boolean
  /** Whether it says what answer comes. */
  readonly declaresOutput: boolean
  readonly title: string | null
  readonly category: string | null
  readonly claims: {
    readonly network: string | null
    readonly asset: string | null
    readonly payTo: string | null
    readonly amountAtomic: string | null
    readonly priceUsd: number | null
    readonly healthy: boolean | null
    readonly calls: number | null
  }
  /** When the seller last refreshed the claim, by the directory's word; null where it does not say. */
  readonly claimedAt: Time | null
  /** Whether the claim is the seller's own (a Bazaar listing is made from the seller's challenge) or a third party's. */
  readonly ownClaim: boolean
}

/** One offer as a probe saw it, without the seller's prose. */
export type ObservedOffer = {
  readonly x402Version: 1 | 2
  readonly scheme: string
  readonly network: string
  readonly asset: string
  readonly payTo: string
  readonly amountAtomic: string
  /** `extra.assetTransferMethod` or `extra.paymentFlow` where it is not what the exact scheme needs. */
  readonly unsafeFlow: string | null
}

export type Outcome = 'up' | 'down' | 'not_measured'

/** Why a measurement came out as it did. */
export type Cause =
  | 'challenge'
  | 'challenge_malformed'
  | 'no_terms'
  | 'not_paid'
  | 'refused'
  | 'timeout'
  | 'connection_lost'
  | 'tls_failed'
  | 'not_found'
  | 'server_error'
  | 'http_error'
  | 'too_large'
  | 'redirect_refused'
  | 'dns_failed'
  | 'address_refused'
  | 'blocked'
  | 'input_needed'
  | 'opted_out'
  | 'own_fault'

/** What stops us on our side, where nothing was measured, and may be over at any time. */
export const OWN_FAULTS: ReadonlySet<Cause> = new Set(['own_fault', 'dns_failed'])

/** Causes of `down` that mean "answers, but not with a valid challenge". */
export const INVALID_CAUSES: ReadonlySet<Cause> = new Set([
  'challenge_malformed',
  'no_terms',
  'not_paid',
  'too_large',
])

/** A fact with a time and a place: what was asked and what came back. Append-only, without opinion. */
export type Observation = {
  readonly kind: 'observation'
  readonly id: string
  readonly at: Time
  readonly endpoint: string
  readonly host: string
  /** Why it was made: on schedule, to confirm, as a control request to a path that should not exist, or for a paying caller. */
  readonly purpose: 'scheduled' | 'confirm' | 'control' | 'live'
  /** Client identity that asked. */
  readonly client: string
  readonly method: string
  readonly outcome: Outcome
  readonly cause: Cause
  readonly httpStatus: number | null
  readonly latencyMs: number | null
  readonly versions: readonly (1 | 2)[]
  readonly offers: readonly ObservedOffer[]
  /** Origin of the `resource` that the challenge names, or null. */
  readonly resourceOrigin: string | null
  readonly declaresInput: boolean
  readonly declaresOutput: boolean
  readonly disagreements: readonly Disagreement[]
  /** Codes of what could not be read in the challenge. */
  readonly problems: readonly string[]
}

/** What the chain showed of one receiver at one block. */
export type ReceiverRecord = {
  readonly kind: 'receiver'
  readonly id: string
  readonly at: Time
  readonly network: string
  readonly address: string
  readonly category: ReceiverCategory
  readonly isContract: boolean
  readonly receiptsEver: number
  readonly receipts30d: number
  readonly receipts90d: number
  readonly payers30d: number
  readonly payers90d: number
  readonly selfFundedExcluded: number
  readonly firstReceiptAt: Time | null
  readonly lastReceiptAt: Time | null
  /** Null where it sent nothing on within the history. */
  readonly lastOutflowAt: Time | null
  readonly historyFrom: Time
  readonly blockNumber: number
  readonly blockHash: string
}

/** A receiver's announced successor: signed by the old receiver, or funded by it on chain beforehand. */
export type Announcement = {
  readonly kind: 'announcement'
  readonly id: string
  readonly at: Time
  readonly host: string
  readonly network: string
  readonly oldPayTo: string
  readonly newPayTo: string
  readonly validFrom: Time
  readonly basis: 'signature' | 'funded_on_chain'
  /** The funding transaction, where that is the basis. */
  readonly txHash: string | null
}

/** A test purchase and what was delivered for it. */
export type Purchase = {
  readonly kind: 'purchase'
  readonly id: string
  readonly at: Time
  readonly endpoint: string
  readonly host: string
  readonly network: string
  readonly payTo: string
  readonly amountAtomic: string
  readonly settled: boolean
  readonly delivered: boolean
  readonly txHash: string | null
}

/** A change or an incident as published; an incident is appended again when its status changes. */
export type PublishedChange = {
  readonly kind: 'change'
  readonly id: string
  readonly at: Time
  readonly change: Change
}
export type PublishedIncident = {
  readonly kind: 'incident'
  readonly id: string
  readonly at: Time
  readonly incident: Incident
}

/** The report of one day, kept for ever; a later one of the same date takes its place. */
export type DailyReport = {
  readonly kind: 'report'
  readonly id: string
  readonly at: Time
  readonly report: Report
}

/** Everything that the log holds about hosts. Payment claims have a log of their own kind. */
export type Fact =
  | Listing
  | Observation
  | ReceiverRecord
  | Announcement
  | Purchase
  | PublishedChange
  | PublishedIncident
  | DailyReport
