/** Tells when something that keeps dying young may be started again. */
export type Backoff = {
  /** Whether a start would come too soon. */
  isResting(): boolean
  /** Notes a start; returns what is to be called at its end. */
  started(): () => void
}

/** What has lived so long, ms, did not die of its start. */
const YOUNG_MS = 10_000
const FIRST_REST_MS = 500
const LONGEST_REST_MS = 60_000

/** Creates it. The first early death may be chance and costs no rest; each one after it doubles the rest. */
export function createBackoff(now: () => number = () => performance.now()): Backoff {
  let earlyDeaths = 0
  let restsUntil = Number.NEGATIVE_INFINITY
  return {
    isResting: () => now() < restsUntil,
    started() {
      const startedAt = now()
      return () => {
        earlyDeaths = now() - startedAt < YOUNG_MS ? earlyDeaths + 1 : 0
        if (earlyDeaths < 2) return
        restsUntil = now() + Math.min(FIRST_REST_MS * 2 ** (earlyDeaths - 2), LONGEST_REST_MS)
      }
    },
  }
}
