import type { AskHandler } from '../decide/ask.ts'
import type { SpendingCap } from '../decide/budget.ts'
import type { Policy } from '../decide/policySchema.ts'
import { createGuardError, type GuardError, type GuardErrorDetails, type Report } from '../errors.ts'
import type { Count, EventParts } from '../events.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { RpcUrls } from '../ledger/reconcile.ts'
import type { createLru } from '../lru.ts'
import type { ReasonCode } from '../reasons.ts'
import type { Hex, VerdictState } from '../types.ts'
import type { Approvals } from './approvals.ts'
import type { Flights } from './flights.ts'
import type { PaymentSchemes } from './scheme.ts'
import type { TypedData } from './signatures/typedData.ts'
import type { SignIn } from './signInMessage.ts'

/** Finds verdicts, by asking the service or in a map. */
export type VerdictReader = {
  /** Returns the verdict of an endpoint by its canonical URL. Never rejects. */
  get(endpoint: string): Promise<VerdictState>
}

/** Requests and caches verdicts of the service. */
export type VerdictClient = VerdictReader & {
  /** Verifies and caches an answer from elsewhere, such as a live check. Never rejects. */
  accept(endpoint: string, answer: unknown): Promise<VerdictState>
}

/**
 * Verifies signatures of contract wallets (ERC-1271, ERC-6492, EIP-7702). Rejections and answers after 10 seconds refuse.
 * `createWalletVerifier` of `@touchstone402/guard/wallets` creates one.
 * @example
 * const verifySignature: SignatureVerifier = ({ from, digest, signature }) =>
 *   publicClient.verifyHash({ address: from, hash: digest, signature })
 */
export type SignatureVerifier = (request: {
  /** CAIP-2. */
  network: string
  /** The payer that the payment names. */
  from: Hex
  /** The signed message, built from the checked values. Source: EIP-712. */
  typedData: TypedData
  /** Hash of the message. */
  digest: Hex
  signature: Hex
}) => Promise<boolean>

/**
 * Buys a live check of an endpoint as a payment of the call that needs it: within its limits and its task's.
 * @param context of the call
 * @param priceUsdMicros price of the call itself, for which room is left
 */
export type BuyLiveCheck = (
  endpoint: string,
  context: GuardContext,
  priceUsdMicros: bigint,
) => Promise<LiveCheck | null>

/** A live check. `payment` is null if the check cost this call nothing. */
export type LiveCheck = { state: VerdictState; payment: Report | null }

/** Shared state of one guard. */
export type GuardContext = {
  /** Base URL of the trust service; null without one. */
  readonly serviceUrl: string | null
  policy: Policy
  /** Caps of the call and its task. */
  cap: SpendingCap
  /** Null without a service: policy and ledger alone decide. */
  verdicts: VerdictReader | null
  ledger: Ledger
  approvals: Approvals
  ask: AskHandler | null
  askTimeoutMs: number
  /** Buys a live check; null where the endpoint needs none, or nothing pays for it. */
  liveCheck: BuyLiveCheck | null
  verifySignature: SignatureVerifier | null
  schemes: PaymentSchemes
  /** RPC endpoints by CAIP-2 id, to resolve payments that expired without an answer. */
  rpcUrls: RpcUrls
  /** Whether errors and questions show full URLs. */
  keepUrls: boolean
  flights: Flights
  /** Sign-ins that sellers asked for, by origin and nonce. */
  signIns: ReturnType<typeof createLru<SignIn>>
  /** Addresses that pay, in lower case, as far as they are known. */
  accounts: Set<string>
  /** Hosts that a payment library below the guard has paid; null if that is allowed. */
  unseenHosts: Set<string> | null
  emit: (parts: EventParts) => void
  count: Count
  /** Closes expired approvals and releases unused reservations. */
  closeExpired: () => Promise<void>
  /** Unix time in ms. */
  now: () => number
  /** Resolves after a time in ms. */
  wait: (ms: number) => Promise<unknown>
}

/** Facts about a refused payment, as far as they are known. */
export type Refused = Pick<EventParts, 'endpoint' | 'method' | 'intent' | 'verdict' | 'traceparent'> &
  Pick<GuardErrorDetails, 'details' | 'forDeveloper' | 'cause' | 'facts'>

/** Emits a refusal and returns the error to throw. */
export function refuse(
  context: GuardContext,
  code: ReasonCode,
  { details, forDeveloper, cause, facts: given, ...parts }: Refused,
): GuardError {
  const { intent, verdict } = parts
  const facts = code === 'STOPPED' ? { allowedBy: 'touchstone stop --resume', ...given } : given
  context.emit({ type: 'refused', code, allowedBy: facts?.allowedBy, ...parts })
  return createGuardError(code, {
    details,
    forDeveloper,
    cause,
    facts,
    intent,
    verdict: verdict ?? undefined,
  })
}
