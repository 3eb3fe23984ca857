import type { AskHandler } from '../decide/ask.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import type { Policy, PolicyInput } from '../decide/policyTypes.ts'
import { isLoopback } from '../decide/screen.ts'
import { ConfigurationError } from '../errors.ts'
import type { EventListener } from '../events.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createMemoryLedger } from '../ledger/memoryLedger.ts'
import { type ApprovedResponse, approveResponse, type ChallengedResponse } from '../paying/approveResponse.ts'
import type { GuardContext, SignatureVerifier } from '../paying/guardContext.ts'
import { createIntents } from '../paying/intents.ts'
import type { SigningAccount } from '../paying/signingAccount.ts'
import type { FetchLike, VerdictState } from '../types.ts'
import { createLiveCheck } from '../verdicts/liveCheck.ts'
import { createServiceApi } from '../verdicts/serviceApi.ts'
import { createVerdictClient } from '../verdicts/verdictClient.ts'
import { type Counters, createCounters, type GuardCounters } from './counters.ts'
import { type GuardedAccount, guardAccount } from './guardedAccount.ts'
import { guardInnerFetch } from './guardedFetch.ts'
import { guardClient, type HookedClient } from './hooks.ts'
import { guardOuterFetch } from './outerFetch.ts'

/** Where verdicts come from. */
export type ServiceOptions = {
  /** Base URL of the service; https, except on this machine. */
  url: string
  /** RFC 7638 thumbprint of the service's key, or several of them. Without it the first keys that are seen are kept. */
  jwksThumbprint?: string | readonly string[]
  /** What signed verdicts name as their issuer. @default the origin of `url` */
  issuer?: string
  /** Longest wait for one answer, in milliseconds. @default 3000 */
  timeoutMs?: number
  /** The service's own receiver, for live checks. Without it the one that is paid first is kept. */
  payTo?: string
  /** Dollars for one live check at the most. @default '0.01' */
  maxLiveCheckUsd?: string
  /** How long a verdict is used without asking again, in seconds. @default 60 */
  cacheSeconds?: number
  /** How the service is reached. @default the global fetch */
  fetch?: FetchLike
}

export type GuardOptions = {
  /** @default the environment's TOUCHSTONE_URL; there is no built-in service */
  service?: ServiceOptions
  /** What the wallet may be used for. Every default is the safe one. */
  policy?: PolicyInput
  /** Asked where the policy says `ask`; without it the answer is no. */
  ask?: AskHandler
  /** Silence for this long is a no, in milliseconds. @default 60000 */
  askTimeoutMs?: number
  /** Buys live checks where the policy wants one before it pays. Without it such payments are refused. */
  account?: SigningAccount
  /** Where spending is remembered. @default memory */
  ledger?: Ledger
  /** Hears every decision and settlement. What it throws is dropped: no observer stops or starts a payment. */
  onDecision?: EventListener
  /** Allows contract wallets, by a function that checks their signatures on chain. Without it they are refused. */
  verifySignature?: SignatureVerifier
  /** Milliseconds since 1970. @default Date.now */
  now?: () => number
}

/** Sits between a payment library and the network. */
export type Guard = {
  /** The policy in force, defaults filled in. */
  readonly policy: Policy
  /** Where spending is remembered. */
  readonly ledger: Ledger
  /** Wraps the `fetch` that a payment library is given: `wrapFetchWithPayment(guard.fetch(fetch), client)`. */
  fetch(inner?: FetchLike): FetchLike
  /** Puts the guard before an account: it signs what was approved, and nothing else. */
  account(account: SigningAccount): GuardedAccount
  /**
   * Judges a 402 for a client that has its own transport, such as axios, and opens the way for one signature of
   * the guarded account.
   * @throws GuardError with the reason
   */
  approve(response: ChallengedResponse): Promise<ApprovedResponse>
  /** Puts the guard into an `x402Client`, for transports that are no `fetch`. Call it after all other hooks. */
  hooks<Client extends HookedClient>(client: Client): Client
  /**
   * Puts the guard around a `fetch` that already pays: the verdict and the dearest of the checked terms are held
   * against the policy before each call, and every call counts as one payment.
   *
   * This is the weaker form. What the endpoint really asks for and what is signed stay between it and the wrapped
   * `fetch`: a receiver or a price that changes after the check is not seen. Wherever the payment library can be
   * given its `fetch` or its account, use those seats instead.
   */
  outer(paying: FetchLike): FetchLike
  /** The signed verdict of an endpoint, by its canonical URL. */
  verdict(endpoint: string): Promise<VerdictState>
  /** What it has done so far: a snapshot, for metrics. */
  counters(): GuardCounters
}

/**
 * Puts a guard around a `fetch` that already pays; see {@link Guard.outer} for why this is the weaker form.
 * @throws ConfigurationError
 */
export function guardFetch(paying: FetchLike, options: GuardOptions = {}): FetchLike {
  return createGuard(options).outer(paying)
}

/**
 * Makes a guard.
 * @throws ConfigurationError naming every field that is missing or wrong
 */
export function createGuard(options: GuardOptions = {}): Guard {
  const counters = createCounters()
  const context = createContext(options, counters)
  return {
    policy: context.policy,
    ledger: context.ledger,
    fetch: (inner = globalThis.fetch) => guardInnerFetch(context, inner),
    account: (account) => guardAccount(context, account),
    approve: (response) => approveResponse(context, response),
    hooks: (client) => guardClient(context, client),
    outer: (paying) => guardOuterFetch(context, paying),
    verdict: (endpoint) => context.verdicts.get(endpoint),
    counters: () => counters.read(context.ledger),
  }
}

function createContext(options: GuardOptions, counters: Counters): GuardContext {
  const policy = parsePolicy(options.policy)
  const service = readService(options.service)
  const { jwksThumbprint } = service
  const now = options.now ?? Date.now
  const ledger = options.ledger ?? createMemoryLedger()
  const intents = createIntents()
  const fetch = service.fetch ?? globalThis.fetch
  const maxAgeMs = (service.cacheSeconds ?? 60) * 1000
  const context: GuardContext = {
    policy,
    ledger,
    intents,
    now,
    verdicts: createVerdictClient({
      api: createServiceApi(service.url, service.timeoutMs ?? 3000, fetch),
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
    emit(event) {
      counters.hear(event)
      ledger.note(event)
      try {
        options.onDecision?.(event)
      } catch {
        // Said in the option's description.
      }
    },
    async closeExpired() {
      for (const { reservation, signed } of intents.expire(now())) {
        // What was signed may have left in a way that the guard does not see.
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
  if (service === undefined) throw wrong('service.url: give the service or set TOUCHSTONE_URL')
  if (!URL.canParse(service.url)) throw wrong('service.url: expected an absolute URL')
  const { protocol, hostname } = new URL(service.url)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) {
    throw wrong('service.url: expected https')
  }
  return service
}
