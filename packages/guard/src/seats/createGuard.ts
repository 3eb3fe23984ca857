import type { AskHandler } from '../decide/ask.ts'
import { NO_CAP } from '../decide/budget.ts'
import { type CallCap, capCall, capTask } from '../decide/caps.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import type { Policy, PolicyInput } from '../decide/policyTypes.ts'
import { ConfigurationError } from '../errors.ts'
import { createEvent, type EventListener } from '../events.ts'
import { deepFreeze } from '../freeze.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createMemoryLedger } from '../ledger/memoryLedger.ts'
import { type ApprovedResponse, approveResponse, type ChallengedResponse } from '../paying/approveResponse.ts'
import type { GuardContext, SignatureVerifier } from '../paying/guardContext.ts'
import { createIntents } from '../paying/intents.ts'
import { resolvePayment } from '../paying/pendingPayment.ts'
import type { SigningAccount } from '../paying/signingAccount.ts'
import { readUrl } from '../readUrl.ts'
import { REASONS } from '../reasons.ts'
import type { FetchLike, VerdictState } from '../types.ts'
import { createLiveCheck } from '../verdicts/liveCheck.ts'
import { createServiceReader, isServiceUrl } from '../verdicts/serviceApi.ts'
import { createVerdictClient } from '../verdicts/verdictClient.ts'
import { type AxiosLike, guardAxios } from './axios.ts'
import { createControls, type GuardControls } from './controls.ts'
import { type Counters, createCounters, type GuardCounters } from './counters.ts'
import { type GuardedAccount, guardAccount } from './guardedAccount.ts'
import { guardInnerFetch, type InnerFetchOptions } from './guardedFetch.ts'
import { type CallSource, guardClient, type HookedClient } from './hooks.ts'
import { guardOuterFetch, type OuterFetchOptions } from './outerFetch.ts'

/**
 * The trust service.
 * @example
 * const service: ServiceOptions = { url: 'https://touchstone.example', jwksThumbprint: 'nCBu5B4cz7xHYnFyIWMF4BGDVnXyZlRfGhBVZAVBrdU' }
 */
export type ServiceOptions = {
  /** Base URL of the service; https, except on this machine. */
  url: string
  /** Pinned RFC 7638 thumbprints of the service's keys. Without them the first keys seen are trusted and kept. */
  jwksThumbprint?: string | readonly string[]
  /** Required issuer of signed verdicts. @default the origin of `url` */
  issuer?: string
  /** Timeout of one answer in ms. @default 3000 */
  timeoutMs?: number
  /** Receiver of live checks. Without it the first receiver paid is pinned. */
  payTo?: string
  /** Maximum dollars for one live check. @default '0.01' */
  maxLiveCheckUsd?: string
  /** Cache lifetime of verdicts in seconds. @default 60 */
  cacheSeconds?: number
  /** Sends requests to the service. @default the global fetch */
  fetch?: FetchLike
}

/**
 * Options of {@link createGuard}.
 * @example
 * const options: GuardOptions = { service: { url: 'https://touchstone.example' }, policy: { maxPerDayUsd: '2.00' } }
 */
export type GuardOptions = {
  /** The trust service. @default { url: process.env.TOUCHSTONE_URL } */
  service?: ServiceOptions
  /** Spending rules; all defaults are safe. */
  policy?: PolicyInput
  /** Approves payments that the policy asks about; without it they are refused. */
  ask?: AskHandler
  /** Timeout of `ask` in ms; a timeout refuses. @default 60000 */
  askTimeoutMs?: number
  /** Pays for live checks; without it payments that need one are refused. */
  account?: SigningAccount
  /** Stores spending. @default a ledger in memory */
  ledger?: Ledger
  /** Receives every decision and settlement. Its errors are ignored. */
  onDecision?: EventListener
  /** RPC endpoints by CAIP-2 id, to resolve payments that expired without an answer. @default {} */
  rpcUrls?: Readonly<Record<string, string>>
  /** Shows full URLs in errors and questions, in place of a hash of the query. @default false */
  keepUrls?: boolean
  /** Verifies signatures of contract wallets; without it they are refused. */
  verifySignature?: SignatureVerifier
  /** Returns Unix time in ms. @default Date.now */
  now?: () => number
}

/**
 * Checks payments between a payment library and the network.
 * @example
 * const spent = (guard: Guard) => guard.counters().spentUsd
 */
export type Guard = GuardControls & {
  /** The policy, defaults filled in. */
  readonly policy: Policy
  /** Stores spending. */
  readonly ledger: Ledger
  /** Base URL of the trust service. */
  readonly serviceUrl: string
  /**
   * Wraps the `fetch` below a payment library: `wrapFetchWithPayment(guard.fetch(fetch), client)`.
   * `maxUsd` limits each of its calls.
   * @throws ConfigurationError if `maxUsd` is invalid
   */
  fetch(inner?: FetchLike, options?: InnerFetchOptions & CallCap): FetchLike
  /**
   * Puts the guard below the payment library of an axios instance: `wrapAxiosWithPayment(guard.axios(instance), client)`.
   * Changes the instance's adapter and returns the instance.
   */
  axios<Instance extends AxiosLike>(instance: Instance): Instance
  /** Wraps an account so that it signs approved payments only. */
  account(account: SigningAccount): GuardedAccount
  /**
   * Judges a 402 for a client with its own transport, such as axios, and permits one signature of the guarded account.
   * @throws GuardError
   */
  approve(response: ChallengedResponse, cap?: CallCap): Promise<ApprovedResponse>
  /**
   * Adds hooks to an `x402Client`, for transports other than `fetch`. Call it after all other hooks. `source` names the
   * URL of each call: the `x402HTTPClient` above the client, or the call itself. Without it and without the guarded
   * `fetch` payments are refused, since the seller's own word for the URL proves nothing.
   */
  hooks<Client extends HookedClient>(client: Client, source?: CallSource): Client
  /**
   * Wraps a `fetch` that already pays. Sends each request once without a payment; if that meets a 402, checks its
   * offers against the verdict and the policy before the call, and counts the call as one payment.
   *
   * This is the weaker form: the guard does not see the offer that the library then answers, or the signed payload, so
   * it misses a receiver or price that changes after the check. It says so in a `weak_seat` event at creation. Prefer
   * `fetch` or `account` if the payment library accepts either.
   */
  outer(paying: FetchLike, options?: OuterFetchOptions & CallCap): FetchLike
  /**
   * Returns this guard with a budget for one task beside all others. Payments of equal names share it, over the
   * lifetime of the ledger and in every process that shares it.
   * @throws ConfigurationError if the name or the amount is invalid, or if this guard has a task already
   */
  task(name: string, budget: { maxUsd: string }): Guard
  /**
   * Ends the retries of a payment that expired without an answer, so that its call may be paid again. The amount stays
   * spent: only the chain can release it.
   * @throws ConfigurationError if the payment is not known, or can still be collected
   */
  resolve(paymentId: string, outcome: 'lost' | 'delivered'): Promise<void>
  /** Returns the verified verdict of an endpoint. The service learns scheme, host, port and path. */
  verdict(endpoint: string): Promise<VerdictState>
  /** Returns a snapshot of the counters. */
  counters(): GuardCounters
}

/**
 * Wraps a `fetch` that already pays; see {@link Guard.outer} for why this is the weaker form.
 * @throws ConfigurationError
 * @example
 * const guarded = guardFetch(pay, { policy: { maxPerDayUsd: '2.00' } })
 */
export function guardFetch(paying: FetchLike, options: GuardOptions = {}): FetchLike {
  return createGuard(options).outer(paying)
}

/**
 * Creates a guard.
 * @throws ConfigurationError naming every missing or invalid field
 * @example
 * const guard = createGuard({ service: { url: 'https://touchstone.example' }, account })
 * const client = registerExactEvmScheme(new x402Client(), { signer: account })
 * const pay = wrapFetchWithPayment(guard.fetch(fetch), client)
 */
export function createGuard(options: GuardOptions = {}): Guard {
  const counters = createCounters()
  return createSeats(createContext(options, counters), counters)
}

function createSeats(context: GuardContext, counters: Counters): Guard {
  const capped = (cap?: CallCap): GuardContext => ({ ...context, cap: capCall(context.cap, cap) })
  return {
    ...createControls(context),
    policy: context.policy,
    ledger: context.ledger,
    serviceUrl: context.serviceUrl,
    fetch: (inner = globalThis.fetch, seat) => guardInnerFetch(capped(seat), inner, seat),
    axios: (instance) => guardAxios(context, instance),
    account: (account) => guardAccount(context, account),
    approve: async (response, cap) => approveResponse(capped(cap), response),
    hooks: (client, source) => guardClient(context, client, source),
    outer: (paying, seat) => guardOuterFetch(capped(seat), paying, seat),
    task: (name, { maxUsd }) =>
      createSeats({ ...context, cap: capTask(context.cap, name, maxUsd) }, counters),
    resolve: (paymentId, outcome) => resolvePayment(context, paymentId, outcome),
    async verdict(endpoint) {
      const canonical = readUrl(endpoint)
      if (typeof canonical !== 'string') return context.verdicts.get(canonical.key)
      return { state: 'unavailable', detail: `${REASONS.URL_INVALID} ${canonical}.`, lastSeen: null }
    },
    counters: () => counters.read(context.ledger),
  }
}

function createContext(options: GuardOptions, counters: Counters): GuardContext {
  const policy = deepFreeze(parsePolicy(structuredClone(options.policy)))
  const service = readService(options.service)
  const { jwksThumbprint } = service
  const now = options.now ?? Date.now
  const ledger = options.ledger ?? createMemoryLedger()
  const intents = createIntents()
  const fetch = service.fetch ?? globalThis.fetch
  const maxAgeMs = (service.cacheSeconds ?? 60) * 1000
  const context: GuardContext = {
    policy,
    cap: NO_CAP,
    ledger,
    intents,
    now,
    rpcUrls: options.rpcUrls ?? {},
    keepUrls: options.keepUrls ?? false,
    serviceUrl: service.url,
    streaming: new Set(),
    verdicts: createVerdictClient({
      readJson: createServiceReader({ url: service.url, timeoutMs: service.timeoutMs ?? 3000, fetch }),
      issuer: service.issuer ?? new URL(service.url).origin,
      thumbprints: typeof jwksThumbprint === 'string' ? [jwksThumbprint] : jwksThumbprint,
      maxAgeMs,
      retryAfterMs: 5000,
      useCached: policy.onUnavailable === 'cached',
      count: counters.count,
      now,
    }),
    ask: options.ask ?? null,
    askTimeoutMs: options.askTimeoutMs ?? 60_000,
    liveCheck: null,
    verifySignature: options.verifySignature ?? null,
    count: counters.count,
    emit(parts) {
      const event = createEvent(parts, now())
      counters.hear(event)
      ledger.note(event)
      // An observer must not stop a payment, and its rejection must not end the process.
      ;(async () => options.onDecision?.(event))().catch(() => {})
    },
    async closeExpired() {
      for (const { reservation, signed } of intents.expire(now())) {
        // A signed payment may have left without the guard seeing it.
        await ledger.update(reservation, { state: signed === null ? 'released' : 'unknown' })
      }
    },
  }
  const { account } = options
  if (account === undefined) return context
  const { payTo, maxLiveCheckUsd: maxPriceUsd = '0.01' } = service
  const check = { serviceUrl: service.url, payTo, maxPriceUsd, account, fetch, maxAgeMs, timeoutMs: 15_000 }
  return { ...context, liveCheck: createLiveCheck(context, check) }
}

function readService(given: ServiceOptions | undefined): ServiceOptions {
  const fromEnvironment = globalThis.process?.env?.TOUCHSTONE_URL
  const service = given ?? (fromEnvironment === undefined ? undefined : { url: fromEnvironment })
  const wrong = (details: string) => new ConfigurationError('CONFIGURATION', { details })
  if (service === undefined) throw wrong('service.url: missing; set it or TOUCHSTONE_URL')
  if (!isServiceUrl(service.url))
    throw wrong('service.url: expected an https URL, or an http URL on this machine')
  return service
}
