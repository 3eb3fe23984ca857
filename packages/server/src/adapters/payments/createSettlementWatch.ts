import { DAY } from '../../domain/facts/times.ts'
import { type ReconcileOptions, type Reconciliation, reconcileClaims } from './reconcileClaims.ts'

/** Checks what the facilitator reported against the chain, and whether it can still be trusted. */
export type SettlementWatch = {
  /** Returns whether the facilitator is trusted; false until the claims have been read, so that a restart forgets nothing. */
  isTrusted(): boolean
  /** Reconciles all payments with the chain. Returns null if that is under way already. */
  check(): Promise<Reconciliation | null>
}

/** Options of `createSettlementWatch`. */
export type SettlementWatchOptions = ReconcileOptions & {
  /** Called when the facilitator loses trust, with the number of settlements that are missing. */
  onDistrust?: (missing: number) => void
}

/** Number of missing settlements from which on a facilitator is not trusted. */
const DISTRUSTED_FROM = 3
/** How long a missing settlement counts. */
const COUNTS_MS = 30 * DAY

/** Creates the watch. Several processes may watch the same claims. */
export function createSettlementWatch(options: SettlementWatchOptions): SettlementWatch {
  const { claims, now = Date.now, onDistrust } = options
  let missing: number | null = null
  let isRunning = false
  const count = async () => {
    const before = missing ?? 0
    const since = now() - COUNTS_MS
    const unsettled = await claims.unsettled()
    missing = unsettled.filter(({ state, updatedAt }) => state === 'missing' && updatedAt > since).length
    if (missing >= DISTRUSTED_FROM && before < DISTRUSTED_FROM) onDistrust?.(missing)
  }
  return {
    isTrusted: () => missing !== null && missing < DISTRUSTED_FROM,
    async check() {
      if (isRunning) return null
      isRunning = true
      try {
        // First, because reading the chain may take long or fail.
        await count()
        const result = await reconcileClaims(options)
        await count()
        return result
      } finally {
        isRunning = false
      }
    },
  }
}
