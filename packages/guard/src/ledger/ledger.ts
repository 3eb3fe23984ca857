import type { BudgetLimits, LedgerView } from '../decide/budget.ts'
import type { GuardEvent } from '../events.ts'
import type { ReasonCode } from '../reasons.ts'
import type { PaymentReceipt } from '../types.ts'

/** Identifies a payment before it is decided: the call, its receiver, and the agent that pays. */
export type PaymentQuery = {
  host: string
  /** Registrable domain of the host. */
  domain: string
  /** Canonical URL of the endpoint. */
  endpoint: string
  /** The endpoint that the caller asked for, if a redirect led from there to `endpoint`. */
  asked?: string | undefined
  /** Method and URL, the query as a hash; equal for identical calls. */
  call: string
  /** Distinguishes calls to one URL, so that a retry is not paid twice. Absent: not checked. */
  once?: OnceKey | undefined
  network: string
  asset: string
  payTo: string
  /** Absent: `exact`. `tempo` is MPP by a transaction, whose state no contract records. */
  scheme?: 'upto' | 'tempo' | undefined
  /** Name of the task that it belongs to, if any. */
  task: string | null
  /** Name of the agent that it was signed for, see `guard.agent`; null for the owner's own programs. */
  agent: string | null
}

/** A payment to reserve. */
export type Reservation = PaymentQuery & {
  /** Unix time in ms. */
  at: number
  /** The most that it can cost, in the asset's smallest unit. */
  amountAtomic: string
  /** The most that it can cost, in millionths of a dollar. */
  usdMicros: bigint
  /** Whether a full verdict supports the payment; others have a separate budget. */
  isVouched: boolean
}

/**
 * A payment as the ledger records it: what it can cost at most, until when, what is known of it, and its state.
 * @example
 * const unresolved: Payment[] = guard.ledger.pending()
 */
export type Payment = Reservation & {
  id: string
  /**
   * `reserved` before a signature exists; `handedOut` before one leaves the guard; `sent` once the payment has left, then
   * `settled`, or `unknown` without a report. `released` payments cost nothing: none was signed, or it expired unused.
   */
  state: 'reserved' | 'handedOut' | 'sent' | 'unknown' | 'settled' | 'released'
  /** Unix time in seconds at which its authorization expires; null before a signature. */
  until: number | null
  /** Its cost, as the seller claims or the chain proves; null while unknown. Only a proven cost lowers what was spent. */
  known: KnownCost | null
  /** Signed by the receiver; absent if it has given none. */
  receipt?: PaymentReceipt | undefined
  /** Whether the call returned content; null while unknown. */
  delivered: boolean | null
  /** The sent authorization; null before. */
  authorization: SentAuthorization | null
  /** The receiver that was pinned before its own, null without one; absent until it is pinned and its price recorded. */
  formerReceiver?: string | null
  /** Whether the call has its answer, or gets none, so that the next equal call is a new one and no retry. */
  answered: boolean
}

/**
 * Cost of a settled payment.
 * @example
 * const isProven = ({ known }: Payment) => known?.by === 'chain'
 */
export type KnownCost = {
  by: 'seller' | 'chain'
  /** In the asset's smallest unit. */
  amountAtomic: string
  /** In millionths of a dollar, rounded up. */
  usdMicros: bigint
  /** Hash of the settlement transaction; null if it is not known. */
  transaction: string | null
}

/**
 * Distinguishes calls with the same method and URL.
 * @example
 * const once: OnceKey = { body: '', callKey: '', payer: account.address }
 */
export type OnceKey = {
  /** Hexadecimal hash; empty without a body, random if it can be read only once. */
  body: string
  /** The caller's key for intended duplicates; empty by default. */
  callKey: string
  /** Address that pays; null if unknown, which equals every payer. */
  payer: string | null
}

/**
 * Identifies a call.
 * @example
 * const once: OnceKey = { body: '', callKey: '', payer: null }
 * const query: CallQuery = { call: 'GET https://api.example.com/weather', once, agent: null }
 */
export type CallQuery = Pick<Payment, 'call' | 'once' | 'agent'>

/**
 * A signed payment, kept so that a retry sends it again instead of signing another. Secret until it is settled or
 * expired: never log it.
 * @example
 * const headers = ({ header, value }: StoredPayment) => ({ [header]: value })
 */
export type StoredPayment = {
  /** Full URL that was judged. The payment is sent to no other. */
  url: string
  /** Name of the request header. */
  header: string
  /** Value of the request header. */
  value: string
}

/** Identifies an authorization on chain. Source: EIP-3009 `authorizationState`. */
export type SentAuthorization = {
  from: string
  nonce: string
  /** Unix time in seconds, as a decimal string. */
  validBefore: string
}

/** State change of a reservation. */
export type LedgerUpdate =
  /** A signature leaves the guard. `payment` is kept for a retry, and must be durable with the state. */
  | { state: 'handedOut'; authorization: SentAuthorization; payment?: StoredPayment | undefined }
  /**
   * The payment leaves. If its authorization was handed out for another payment, the two exchange their authorizations.
   */
  | { state: 'sent'; authorization: SentAuthorization | null; payment?: StoredPayment | undefined }
  /** No answer tells whether a payment that may have left was collected. */
  | { state: 'unknown' }
  /** No signature left the guard. Ignored once one did. */
  | { state: 'unsigned' }
  /**
   * Nothing left, and nothing can any more: an approval without a signature is over, or an authorization that the guard did
   * not see leave has expired. Ignored until ten minutes later, and for authorizations of agents.
   */
  | { state: 'expired'; at: number }
  /** The authorization expired unused on chain. Ignored unless the proof holds. */
  | { state: 'unused'; proof: ExpiryProof; nonce?: string }
  /** `amountAtomic` is what the chain shows as collected; without it the amount is the seller's claim, or that of the transfer. */
  | {
      state: 'settled'
      by: KnownCost['by']
      transaction: string | null
      amountAtomic?: string
      proof?: ExpiryProof
      /** Of the authorization that the chain was asked about. Ignored if the payment has another one by now. */
      nonce?: string
      receipt?: PaymentReceipt
    }
  /**
   * `isMild` marks a fault that is a strike only while an earlier one of the endpoint is not cleared by deliveries.
   * `isOwn` marks one that the agent may have caused, such as a 403: it counts for no other agent.
   */
  | { delivered: boolean; isMild?: boolean; isOwn?: boolean }
  /** Ends the retries of the call. The amount stays spent. */
  | { answered: true }

/**
 * A finalized block at which an authorization was unused, and the own clock at that time.
 * @example
 * const proof: ExpiryProof = { at: Date.now(), block: '29000000', timestamp: 1_790_000_000 }
 */
export type ExpiryProof = {
  /** Unix time in ms by the own clock. */
  at: number
  /** Height, as a decimal string. */
  block: string
  /** Unix time in seconds of the block. */
  timestamp: number
}

/** A reservation's id, or the limit that it would exceed. */
export type ReserveResult =
  | { ok: true; id: string }
  /** `PAYMENT_PENDING`: an equal call is unresolved; see {@link Ledger.findPending}. */
  | { ok: false; code: ReasonCode }

/**
 * An endpoint whose paid calls were not delivered. `at` are the times in Unix ms, oldest first.
 * @example
 * const endpoints: Strikes[] = guard.ledger.strikes()
 */
export type Strikes = { endpoint: string; at: number[] }

/**
 * The receiver that is expected at an endpoint.
 * @example
 * const receivers: Pin[] = guard.ledger.pins()
 */
export type Pin = { endpoint: string; network: string; asset: string; payTo: string }

/** Spending in millionths of a dollar. */
export type SpendingSum = {
  /** Payments that settled, or that may have. */
  spent: bigint
  /** Payments in flight. */
  reserved: bigint
  /** Unix time in ms of the oldest payment. */
  oldestAt: number
}

/** Spending of the last 24 hours by host, receiver and domain, and over the lifetime in total and by task. */
export type SpendingSummary = {
  /** Keys are `day`, `unknown`, `host <host>`, `payTo <address>` and `unknown <domain>`. Absent keys mean nothing. */
  day: ReadonlyMap<string, SpendingSum>
  total: Omit<SpendingSum, 'oldestAt'>
  tasks: ReadonlyMap<string, bigint>
}

/**
 * Stores spending. All states but `released` count as spent.
 * @example
 * const spentUsd = (ledger: Ledger) => Number(ledger.totals().usdMicros) / 1e6
 */
export type Ledger = {
  /** Reloads entries written by other processes. No-op for ledgers that are not shared. */
  refresh(): Promise<void>
  /** Returns spending, strikes and the pin that concern one prospective payment. `now` is Unix time in ms. */
  view(query: PaymentQuery, limits: BudgetLimits, now: number): LedgerView
  /**
   * Returns the unresolved payment of an equal call, as known since the last refresh. Must not block: it runs before
   * every request. `now` is Unix time in ms.
   */
  findPending(query: CallQuery, now: number): Payment | undefined
  /** Returns a payment that is unresolved or less than a day old, as known since the last refresh. */
  find(id: string): Payment | undefined
  /** Whether a payment of the last 24 hours, or an unresolved one, was settled by a transaction. */
  knows(transaction: string): boolean
  /** Returns the kept payment of a reservation, for a retry; null if there is none. */
  readPayment(id: string): Promise<StoredPayment | null>
  /** Returns the endpoints with strikes. */
  strikes(): Strikes[]
  /** Returns the pinned receivers. */
  pins(): Pin[]
  /** Forgets the strikes or the pins of a host. */
  clear(what: 'strikes' | 'pins', host: string): Promise<void>
  /** Checks the limits and that no equal call is unresolved, and reserves; atomic over all users of the ledger. */
  reserve(request: Reservation, limits: BudgetLimits): Promise<ReserveResult>
  /** Changes the state of a reservation. Backward transitions are ignored. */
  update(id: string, change: LedgerUpdate): Promise<void>
  /** Returns payments that were handed out or sent and are neither settled nor released, and `upto` payments of unknown cost. */
  pending(): Payment[]
  /** Returns payments that `expired` releases at `now`, Unix time in ms. */
  lapsed(now: number): Payment[]
  /** Returns spending at `now`, Unix time in ms. */
  summary(now: number): SpendingSummary
  /** Stops or resumes payments in every process that shares the ledger; `reserve` then refuses with `STOPPED`. */
  setStopped(isStopped: boolean): Promise<void>
  isStopped(): Promise<boolean>
  /** Appends an audit record. Must not block the payment path. */
  note(event: GuardEvent): void
  /** Returns the atomic amounts spent per network and asset, and the total in millionths of a dollar. */
  totals(): { usdMicros: bigint; byAsset: { network: string; asset: string; amountAtomic: bigint }[] }
}
