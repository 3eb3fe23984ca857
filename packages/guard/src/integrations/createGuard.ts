import { type CallCap, capCall, capTask } from '../decide/budget.ts'
import { type Fields, optional } from '../decide/fields.ts'
import type { Policy } from '../decide/policySchema.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import type { ApprovedResponse, ChallengedResponse, PaidResponse } from '../paying/ownTransport.ts'
import type { SigningAccount } from '../paying/signatures/typedData.ts'
import { readUrl } from '../readUrl.ts'
import { REASONS } from '../reasons.ts'
import type { FetchLike, VerdictState } from '../types.ts'
import type { ServiceOptions } from '../verdicts/serviceOptions.ts'
import { guardAxios } from './axios.ts'
import type { AxiosLike } from './axiosRequest.ts'
import {
  type Counters,
  createControls,
  createCounters,
  type GuardControls,
  type GuardCounters,
} from './controls.ts'
import { createContext, separate } from './createContext.ts'
import { type GuardedAccount, guardAccount } from './guardedAccount.ts'
import { guardInnerFetch, type InnerFetchOptions } from './guardedFetch.ts'
import { ANY, checkOptions, FUNCTION, type GuardOptions } from './guardOptions.ts'
import type { CallSource, HookedClient } from './hookHandlers.ts'
import { guardClient } from './hooks.ts'

export type { GuardOptions, ServiceOptions }

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
  /** Base URL of the trust service; null without one. */
  readonly serviceUrl: string | null
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
   * Adds hooks to an `x402Client`. Call it after all other hooks. Over HTTP, put `guard.fetch` below the client and leave
   * `source` out; over transports that send to one URL alone, such as MCP, `source` names the call. Without either,
   * payments are refused, since the seller's own word for the URL proves nothing.
   */
  hooks<Client extends HookedClient>(client: Client, source?: CallSource): Client
  /**
   * Returns this guard with a budget for one task beside all others. Payments of equal names share it, over the
   * lifetime of the ledger and in every process that shares it.
   * @throws ConfigurationError if the name or the amount is invalid, or if this guard has a task already
   */
  task(name: string, budget: { maxUsd: string }): Guard
  /**
   * Returns this guard for an agent that holds a token, with the budget of a task, if any. The agent is not believed about money:
   * what was signed for it stays spent until the chain proves otherwise, and its experience with sellers counts for it
   * alone, except that other agents are asked where they would pay other terms.
   * @throws ConfigurationError as `task` does
   */
  agent(name: string, budget?: { maxUsd: string }): Guard
  /**
   * Ends the retries of a payment that expired without an answer, so that its call may be paid again. The amount stays
   * spent: only the chain can release it.
   * @throws ConfigurationError if the payment is not known, or can still be collected
   */
  resolve(paymentId: string, outcome: 'lost' | 'delivered'): Promise<void>
  /**
   * Reports the answer to a payment whose request the guard did not send, as with `account`: its settlement, its
   * delivery, and the end of its retries. Null means that no answer came.
   * @throws GuardError as `fetch` does, after a redirect or another 402
   */
  report(paymentId: string, answer: PaidResponse | null): Promise<void>
  /** Returns the verified verdict of an endpoint. The service learns scheme, host, port and path. */
  verdict(endpoint: string): Promise<VerdictState>
  /** Returns a snapshot of the counters. */
  counters(): GuardCounters
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
  return createIntegrations(createContext(options, counters), counters)
}

function createIntegrations(context: GuardContext, counters: Counters): Guard {
  const capped = (cap: CallCap | undefined, fields: Fields): GuardContext => {
    checkOptions({ maxUsd: ANY, ...fields }, cap)
    return { ...context, cap: capCall(context.cap, cap) }
  }
  const within = (name: string, budget: { maxUsd: string } | undefined, isAgent: boolean): Guard => {
    checkOptions({ maxUsd: ANY }, budget)
    const cap = capTask(context.cap, name, budget?.maxUsd, isAgent)
    if (!isAgent) return createIntegrations({ ...context, cap }, counters)
    const emit: GuardContext['emit'] = (parts) => context.emit({ agent: name, ...parts })
    return createIntegrations(separate({ ...context, emit }, cap), counters)
  }
  return {
    ...createControls(context),
    policy: context.policy,
    ledger: context.ledger,
    serviceUrl: context.serviceUrl,
    fetch(inner = globalThis.fetch, own = {}) {
      checkOptions({ inner: FUNCTION }, { inner })
      if (own.payer !== undefined) context.accounts.add(own.payer.toLowerCase())
      const fields = { payer: optional({ kind: 'text' }), bodyMayChange: optional({ kind: 'flag' }) }
      return guardInnerFetch(capped(own, fields), inner, own)
    },
    axios: (instance) => guardAxios(context, instance),
    account: (account) => guardAccount(context, account),
    async approve(response, cap) {
      const judging = capped(cap, {})
      return (await import('../paying/ownTransport.ts')).approveResponse(judging, response)
    },
    hooks: (client, source) => guardClient(context, client, source),
    task: (name, budget) => within(name, budget, false),
    agent: (name, budget) => within(name, budget, true),
    async resolve(paymentId, outcome) {
      return (await import('../paying/ownTransport.ts')).resolvePayment(context, paymentId, outcome)
    },
    async report(paymentId, answer) {
      return (await import('../paying/ownTransport.ts')).reportAnswer(context, paymentId, answer)
    },
    async verdict(endpoint) {
      const canonical = readUrl(endpoint)
      const none = (detail: string): VerdictState => ({ state: 'unavailable', detail, lastSeen: null })
      if (typeof canonical === 'string') return none(`${REASONS.URL_INVALID} ${canonical}.`)
      return context.verdicts?.get(canonical.key) ?? none('The guard has no service.')
    },
    counters: () => counters.read(context.ledger),
  }
}
