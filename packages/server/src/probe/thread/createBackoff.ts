/** Delays restarts of something that keeps dying soon after its start. */
export type Backoff = {
  /** Returns whether it is too early for another start. */
  isResting(): boolean
  /** Records a start. Returns the function to call when it ends. */
  started: () => () => void
}

/** A life shorter than this, ms, counts as a failed start. */
const MIN_LIFE_MS = 10_000
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 60_000

/** Creates an exponential back-off. The first failed start costs no delay, because it may be chance. */
export function createBackoff(now: () => number = () => performance.now()): Backoff {
  let failures = 0
  let restsUntil = Number.NEGATIVE_INFINITY
  return {
    isResting: () => now() < restsUntil,
    started() {
      const startedAt = now()
      return () => {
        failures = now() - startedAt < MIN_LIFE_MS ? failures + 1 : 0
        if (failures < 2) return
        restsUntil = now() + Math.min(FIRST_DELAY_MS * 2 ** (failures - 2), MAX_DELAY_MS)
      }
    },
  }
}
