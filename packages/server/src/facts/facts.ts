import type {
  Change,
  Disagreement,
  Incident,
  LiveProbe,
  Offer,
  ReceiverCategory,
  Report,
  Unpayable,
} from '@touchstone402/shared'

/** Unix time in milliseconds, by the audit clock. */
export type Time = number

/** The common fields of all records. */
type Entry<Kind extends string> = { readonly kind: Kind; readonly id: string; readonly at: Time }

/** A directory's entry for an endpoint: a claim, not a measurement. Recorded when new or changed. */
export type Listing = Entry<'listing'> & {
  /** The directory's name, such as `bazaar` or `402index`. */
  readonly directory: string
  /** Canonical URL; may contain template segments. */
  readonly endpoint: string
  readonly host: string
  /** URL to probe: the listed URL with the declared sample query, if any. */
  readonly url: string
  readonly method: string | null
  /** Declared sample body, as JSON text. */
  readonly body: string | null
  /** URLs with other declared values of the query: of enums, ranges and examples. @default none */
  readonly samples?: readonly string[]
  /** URLs with generated values of the query that fit the declared schemas, for GET alone. @default none */
  readonly generated?: readonly string[]
  readonly declaresInput: boolean
  /** Whether the response is described. */
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
  /** When the claim was last refreshed: according to the directory, or when we fetched the host's own document. */
  readonly claimedAt: Time | null
  /** Whether a document of the host itself makes the claim. Directory entries may come from anyone. */
  readonly ownClaim: boolean
}

/** The claims of a listing that makes none. */
export const NO_CLAIMS: Listing['claims'] = {
  network: null,
  asset: null,
  payTo: null,
  amountAtomic: null,
  priceUsd: null,
  healthy: null,
  calls: null,
}

/** Name of the directory of what hosts themselves declare. No other directory may have it. */
export const HOST_DIRECTORY = 'host'

/** A row of a directory, before it gets an id and a time. */
export type ListedRow = Omit<Listing, 'kind' | 'id' | 'at'>

/**
 * Why a document is unread. `unreadable`: parsing it takes too much processor time or memory. `own_fault`: our network failed,
 * or this machine had no time to parse it; nothing is known of what it says.
 */
export type Unread = 'unreadable' | 'own_fault'

/** Whether the host itself declares the endpoint with this method, input, price and receiver. */
export function isDeclaredByHost({ ownClaim }: Pick<Listing, 'ownClaim'>): boolean {
  return ownClaim
}

/** An offer that some stock client could sign, without the seller's texts. */
export type ObservedOffer = Readonly<
  Pick<Offer, 'x402Version' | 'scheme' | 'network' | 'asset' | 'payTo' | 'amountAtomic'>
> & {
  /** A payment flow outside every published scheme, or the field of `extra` that contradicts the scheme; null for none. */
  readonly unsafeFlow: string | null
  /** Why the guard cannot pay an offer of this form, apart from the asset. Probes before 1.1.0 did not record it. */
  readonly unpayable?: Unpayable | null
  /** Reason for stock clients to refuse an exact EVM offer: its `extra` has no EIP-712 domain, or not the asset's. */
  readonly stockRefuses?: 'domain_missing' | 'domain_mismatch'
  /** Amount of a deposit, where one signature hands over more than the amount. */
  readonly mostAtomic?: string
  /** Whether only lenient clients read the entry. */
  readonly lenient?: true
  /** Protocol of its challenge. @default x402 */
  readonly protocol?: 'mpp'
}

export type Outcome = LiveProbe['outcome']

/** The reason for an outcome. */
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
  /** A 200 with data to an unpaid call, at a host that asks for payment elsewhere. */
  | 'free_quota'
  | 'opted_out'
  /** The challenge is valid, but in a form that we cannot read. */
  | 'unsupported'
  /** It returned terms, but the documents of its host could not be read, so what it declares is not known. */
  | 'documents_unread'
  | 'own_fault'

/** Causes of probes that measured nothing because we or our resolver are at fault. */
export type OwnFault = Extract<Cause, 'own_fault' | 'dns_failed'>

/** Whether a probe measured nothing because we or our resolver are at fault, so that a retry may succeed. */
export function isOwnFault(probe: Pick<Observation, 'outcome' | 'cause'>): boolean {
  return ownFaultOf(probe) !== null
}

/** Returns the cause if it is a fault of ours or our resolver's, else null. */
export function ownFaultOf({ outcome, cause }: Pick<Observation, 'outcome' | 'cause'>): OwnFault | null {
  return outcome === 'not_measured' && (cause === 'own_fault' || cause === 'dns_failed') ? cause : null
}

/** Causes of `down` for endpoints that answer without a valid challenge. */
export const INVALID_CAUSES: ReadonlySet<Cause> = new Set([
  'challenge_malformed',
  'no_terms',
  'not_paid',
  'too_large',
])

/** One probe and its result. Append-only. */
export type Observation = Entry<'observation'> & {
  readonly endpoint: string
  readonly host: string
  /** `control` requests a path that should not exist; `live` is for a paying caller. */
  readonly purpose: LiveProbe['purpose']
  /** Name of the client identity. */
  readonly client: string
  readonly method: string
  readonly outcome: Outcome
  readonly cause: Cause
  readonly httpStatus: number | null
  readonly latencyMs: number | null
  readonly versions: readonly (1 | 2)[]
  readonly offers: readonly ObservedOffer[]
  /** Origin that the challenge's `resource` names; null if it is relative. */
  readonly resourceOrigin: string | null
  /** Canonical URL that `resource` names, where it differs from the endpoint in its site. */
  readonly resourceUrl?: string
  /** When `resourceUrl` was asked, and whether it redirected to the endpoint. */
  readonly resourceAsked?: { readonly at: Time; readonly leadsHere: boolean }
  /** Canonical URL of another origin that the answer redirects to. */
  readonly leadsTo?: string
  readonly declaresInput: boolean
  readonly declaresOutput: boolean
  readonly disagreements: readonly Disagreement[]
  /** Codes of the challenge's parse errors. */
  readonly problems: readonly string[]
  /** Hash of method, URL and body: equal requests have equal ones. */
  readonly request?: string
  /**
   * Time from the last scheduled or confirming probe to the moment that was drawn for this one, ms. The rest of a longer
   * time between the two was our own downtime. Missing in live checks, repeats, and probes before 1.3.0.
   */
  readonly gapMs?: number
  /**
   * Present if the probe sent other input than the usual one, to see whether terms follow it: another declared value, a
   * generated one, or the bare URL. Such probes are compared with the usual one beside them, and with nothing else.
   */
  readonly input?: 'declared' | 'generated' | 'bare'
  /**
   * The one key whose valid signatures of the offer-receipt extension for this endpoint cover all offers: `eip155:` and the
   * address of a secp256k1 key, or `jwk:` and the thumbprint (RFC 7638) of another.
   */
  readonly offersSignedBy?: string
  /** Whether a 2xx answer to the unpaid call delivered data: a body that is no HTML page. */
  readonly delivered?: true
  /** Whether the host's documents were read again and what they declare was asked too, without success. */
  readonly reread?: true
}

/** Causes of probes without a measurement that are neither a refusal nor a fault of our network. */
const UNMEASURED: ReadonlySet<Cause> = new Set(['opted_out', 'documents_unread'])

/** Whether the endpoint itself was not measured, by a fault or a limit of ours or because the host declines probes. */
export function isUnmeasured(observations: readonly Observation[]): boolean {
  const own = observations.filter(({ purpose }) => purpose !== 'control')
  return own.every((probe) => UNMEASURED.has(probe.cause) || isOwnFault(probe))
}

/** Whether a probe of the endpoint itself returned payment terms. */
export function hasTerms({ purpose, outcome, offers }: Observation): boolean {
  return purpose !== 'control' && outcome === 'up' && offers.length > 0
}

/** Receipts and distinct payers of a receiver. */
export type ReceiptCounts = {
  readonly receipts30d: number
  readonly receipts90d: number
  readonly payers30d: number
  readonly payers90d: number
}

/**
 * Chain facts about one receiver at one block. Counts outside `unadjusted` leave out mints and payers that the receiver
 * funded, directly or through one other address. Optional fields are missing in records made before they were kept.
 */
export type ReceiverRecord = Entry<'receiver'> &
  ReceiptCounts & {
    readonly network: string
    readonly address: string
    readonly category: ReceiverCategory
    readonly isContract: boolean
    /** Receipts from all payers, and mints, since `historyFrom`: ever, if `isWholeLife`. */
    readonly receiptsEver: number
    readonly unadjusted?: ReceiptCounts
    /** Payers left out because the receiver had sent them tokens. */
    readonly selfFundedExcluded: number
    /** Payers left out because an address that the receiver funded had sent them tokens. */
    readonly cycleExcluded?: number
    /** Distinct sources of the payers, which decide the category: payers that one address funded count as one. */
    readonly payerSources?: number
    readonly firstReceiptAt: Time | null
    readonly lastReceiptAt: Time | null
    /** Null without outgoing transfers within the history. */
    readonly lastOutflowAt: Time | null
    /** Time and number of the first block that was read. */
    readonly historyFrom: Time
    readonly historyFromBlock?: number
    /** Whether the whole life of the token was read. */
    readonly isWholeLife?: boolean
    /** The sanctions oracle that was asked at `blockNumber`, and its answer; null without a clear one. */
    readonly sanctions?: { readonly contract: string; readonly isListed: boolean | null }
    readonly blockNumber: number
    readonly blockHash: string
  }

/** Returns the chain records of a receiver, oldest first. */
export type RecordsOf = (network: string, address: string) => readonly ReceiverRecord[]

/**
 * An announced receiver: a change that the old receiver signed, or paid the new one for by an exact amount; a change that
 * the owner of the host confirmed; or, with equal old and new receivers, a proof that the receiver signed for the host.
 * `funded_on_chain`, any payment from the old to the new receiver, is recorded no more and announces nothing.
 */
export type Announcement = Entry<'announcement'> & {
  readonly host: string
  readonly network: string
  readonly oldPayTo: string
  readonly newPayTo: string
  readonly validFrom: Time
  readonly basis: (typeof ANNOUNCEMENT_BASES)[number]
  /** Expiry of a `receiver_proof`; end of the host claim behind a `host_confirmed`. */
  readonly expiresAt?: Time
  /** When the owner behind a `host_confirmed` first proved the claim. */
  readonly claimedAt?: Time
  /** The transaction of a payment on chain. */
  readonly txHash: string | null
}

/** Kinds of announcements. */
export const ANNOUNCEMENT_BASES = [
  'signature',
  'payment_on_chain',
  'host_confirmed',
  'receiver_proof',
  'funded_on_chain',
] as const

/** A test purchase. */
export type Purchase = Entry<'purchase'> & {
  readonly endpoint: string
  readonly host: string
  readonly network: string
  readonly payTo: string
  readonly amountAtomic: string
  /** Whether the chain shows the payment. */
  readonly settled: boolean
  /** Whether the response was a 2xx with an answer. */
  readonly delivered: boolean
  readonly txHash: string | null
  /** When the call was made, and when its paid response was read, null if none came. Absent in older records. */
  readonly askedAt?: Time
  readonly answeredAt?: Time | null
  /** Status of the paid response, null if none came, and the first characters of its text. Absent in older records. */
  readonly httpStatus?: number | null
  /** Whether the host itself declares the input that was sent. */
  readonly hasInput?: true
  /** Whether the seller funded it in advance, so that no usual purchase waits for it. */
  readonly isFunded?: true
  readonly excerpt?: string | null
  /**
   * Time from which verdicts show it, drawn days to weeks after the purchase, so that a seller cannot tell which payment
   * was the test. Absent in records from before score 1.3.0, which are shown at once.
   */
  readonly shownFrom?: Time
}

/** Limits of the test purchases of a service. */
export type ShoppingLimits = {
  /** CAIP-2 id of the network to pay on. */
  readonly network: string
  /** Maximum price per call in dollars. */
  readonly perCallUsd: number
}

/** A published change. */
export type PublishedChange = Entry<'change'> & { readonly change: Change }

/** A published incident; appended again when its status changes. */
export type PublishedIncident = Entry<'incident'> & { readonly incident: Incident }

/** The report of one day, kept forever; a later one of the same date replaces it. */
export type DailyReport = Entry<'report'> & { readonly report: Report }

/** Any record about hosts. Payment claims are stored separately. */
export type Fact =
  | Listing
  | Observation
  | ReceiverRecord
  | Announcement
  | Purchase
  | PublishedChange
  | PublishedIncident
  | DailyReport
