import { formatUnits, USDC_DECIMALS } from '@touchstone402/shared'
import type { Count, GuardEvent } from '../events.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { ReasonCode } from '../reasons.ts'

/** What a guard has done since it was made, for metrics. Numbers alone: no address, no URL, no text of anybody. */
export type GuardCounters = {
  /** Payments that were approved. */
  allowed: number
  /** Payments that were refused, by reason; a reason that never came up is absent. */
  refused: Partial<Record<ReasonCode, number>>
  /** Payments that have left the wallet, or may have; live checks are among them. */
  paid: number
  /** Those of which the endpoint says that they went through. */
  settled: number
  /** Live checks that were paid for. */
  liveChecks: number
  /** How often `ask` was asked. */
  asked: number
  /** How often it said yes in time. */
  approved: number
  /** Requests for verdicts. */
  verdictRequests: number
  /** Those that brought no verdict which can be trusted. */
  verdictFailures: number
  /** How often a verdict was needed and no request was: the last answer was young, or one was under way. */
  cacheHits: number
  /** Dollars that the ledger knows of as a decimal string; what came before this guard is among them. */
  spentUsd: string
  /** The same by network (CAIP-2) and asset, in the asset's smallest unit. */
  spent: { network: string; asset: string; amountAtomic: string }[]
}

/** The counters of one guard. */
export type Counters = { count: Count; hear(event: GuardEvent): void; read(ledger: Ledger): GuardCounters }

/** Counters at zero. */
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
      return { ...all, refused: { ...refused }, spentUsd: formatUnits(usdMicros, USDC_DECIMALS), spent }
    },
  }
}
