import { formatUsdc } from '@touchstone402/shared'
import type { Count, GuardEvent } from '../events.ts'
import type { Ledger, Pin, Strikes } from '../ledger/ledger.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import type { ReasonCode } from '../reasons.ts'
import type { GuardBudget } from './readBudget.ts'

/**
 * Budgets, the kill switch, strikes and pins of a guard.
 * @example
 * const isSafe = async (controls: GuardControls) => (await controls.strikes()).length === 0
 */
export type GuardControls = {
  /** Returns the spent, reserved and remaining amounts of each budget. */
  budget(): Promise<GuardBudget>
  /**
   * Stops all payments of every process that shares the ledger, before its next signature, until `resume`.
   * With a file ledger, a file `STOP` beside it does the same.
   */
  stop(): Promise<void>
  /** Allows payments again after `stop`. */
  resume(): Promise<void>
  /** Returns paid calls without delivery, by endpoint. */
  strikes(): Promise<Strikes[]>
  /** Forgets the strikes of a host, such as `api.example.com` or `localhost:8080`. */
  clearStrike(host: string): Promise<void>
  /** Returns the receivers that the guard has pinned. */
  pins(): Promise<Pin[]>
  /** Forgets the pinned receivers of a host, so that the next one paid is pinned. */
  clearPin(host: string): Promise<void>
}

/** Creates the controls of a guard. */
export function createControls(context: GuardContext): GuardControls {
  const { ledger } = context
  const refreshed = async <T>(work: () => T | Promise<T>): Promise<T> => {
    await ledger.refresh()
    return work()
  }
  return {
    // Loaded when it is asked for.
    budget: async () => (await import('./readBudget.ts')).readBudget(context, context.verdicts === null),
    stop: () => ledger.setStopped(true),
    resume: () => ledger.setStopped(false),
    strikes: () => refreshed(() => ledger.strikes()),
    clearStrike: (host) => refreshed(() => ledger.clear('strikes', host.toLowerCase())),
    pins: () => refreshed(() => ledger.pins()),
    clearPin: (host) => refreshed(() => ledger.clear('pins', host.toLowerCase())),
  }
}

/**
 * Counters of a guard since its creation, for metrics. Contains no address, URL or foreign text.
 * @example
 * const refusals = ({ refused }: GuardCounters) => Object.entries(refused)
 */
export type GuardCounters = {
  /** Approved payments. */
  allowed: number
  /** Refused payments by reason; reasons without refusals are absent. */
  refused: Partial<Record<ReasonCode, number>>
  /** Payments that were or may have been sent, including live checks. */
  paid: number
  /** Payments that the endpoint reports as settled. */
  settled: number
  /** Paid live checks. */
  liveChecks: number
  /** Calls of `ask`. */
  asked: number
  /** Calls of `ask` that approved in time. */
  approved: number
  /** Verdict requests. */
  verdictRequests: number
  /** Verdict requests without a valid verdict. */
  verdictFailures: number
  /** Verdicts served from the cache or from a request in flight. */
  cacheHits: number
  /** Total dollars in the ledger as a decimal string, including payments before this guard. */
  spentUsd: string
  /** Total per network (CAIP-2) and asset, in the asset's smallest unit. */
  spent: { network: string; asset: string; amountAtomic: string }[]
}

/** Counters of one guard. */
export type Counters = { count: Count; hear(event: GuardEvent): void; read(ledger: Ledger): GuardCounters }

/** Creates counters at zero. */
export function createCounters(): Counters {
  const payments = { allowed: 0, paid: 0, settled: 0, liveChecks: 0, asked: 0, approved: 0 }
  const all = { ...payments, verdictRequests: 0, verdictFailures: 0, cacheHits: 0 }
  const refused: GuardCounters['refused'] = {}
  return {
    count(name) {
      all[name] += 1
    },
    hear({ type, code }) {
      if (type === 'allowed' || type === 'settled') all[type] += 1
      if (type === 'refused' && code !== null) refused[code] = (refused[code] ?? 0) + 1
    },
    read(ledger) {
      const { usdMicros, byAsset } = ledger.totals()
      const spent = byAsset.map((sum) => ({ ...sum, amountAtomic: sum.amountAtomic.toString() }))
      return { ...all, refused: { ...refused }, spentUsd: formatUsdc(usdMicros), spent }
    },
  }
}
