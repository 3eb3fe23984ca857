import { withDeadline } from '../deadline.ts'
import { standingOf } from '../decide/standing.ts'
import type { Count } from '../events.ts'
import { deepFreeze } from '../freeze.ts'
import type { VerdictReader } from '../paying/guardContext.ts'
import type { VerdictState } from '../types.ts'

/**
 * The part of a map that the guard uses.
 * @example
 * const map: VerdictMap = createMapClient({ url: 'https://touchstone.example' })
 */
export type VerdictMap = {
  /** Looks up a canonical URL in memory. Sends nothing that depends on it. */
  get(endpoint: string): VerdictState
  /** Resolves once a map is in use, or the first attempt to get one failed. Never rejects. */
  ready(): Promise<void>
}

/** Options of {@link createMapVerdicts}. */
export type MapVerdictsOptions = {
  map: VerdictMap
  /** Asks the service about endpoints that are not in the map; null to send nothing. */
  asking: VerdictReader | null
  /** Timeout of the first map in ms; later ones load in the background. */
  timeoutMs: number
  count: Count
}

/** Creates a client that takes verdicts from a map. */
export function createMapVerdicts({ map, asking, timeoutMs, count }: MapVerdictsOptions): VerdictReader {
  let isReady = false
  // Loads before the first payment.
  map.ready().then(() => {
    isReady = true
  })
  return {
    async get(endpoint) {
      if (!isReady) await withDeadline(() => map.ready(), timeoutMs).catch(() => {})
      const found = map.get(endpoint)
      if (asking !== null && isLacking(found)) return asking.get(endpoint)
      count('cacheHits')
      return deepFreeze(found)
    },
  }
}

/** Whether a current map does not hold an endpoint. */
export function isLacking(found: VerdictState): boolean {
  return (
    found.state === 'signed' && standingOf(found.verdict) === 'unknown' && found.verdict.terms.length === 0
  )
}
