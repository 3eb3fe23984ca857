import { formatUsdc } from '@touchstone402/shared'
import type { Count, GuardEvent } from '../events.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { ReasonCode } from '../reasons.ts'

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
