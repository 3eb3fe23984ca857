/** Detects when this process was suspended or starved of CPU. */
export type StallWatch = {
  begin(): StallSpan
}

/** One watched period. */
export type StallSpan = {
  /** Returns whether the process stalled since the beginning. */
  hasStalled(): boolean
  /** Ends the period; call once. */
  end(): void
}

const BEAT_MS = 250
/** A timer that fires this late, ms, means that the process stalled. */
export const STALL_MS = 1_000

/**
 * Creates a stall watch: a heartbeat that runs during watched periods. A failure near a missed beat may be our fault,
 * even long before the deadline, because the other side times out too.
 * @param clocks all are checked, because the monotonic clock may stop while the machine sleeps
 */
export function createStallWatch(
  clocks: readonly (() => number)[] = [() => performance.now(), Date.now],
): StallWatch {
  let stalls = 0
  let watched = 0
  let timer: NodeJS.Timeout | undefined
  let beatAt: readonly number[] = []
  const beat = () => {
    const now = clocks.map((clock) => clock())
    if (now.some((at, index) => at - (beatAt[index] ?? at) > BEAT_MS + STALL_MS)) stalls++
    beatAt = now
  }
  return {
    begin() {
      if (watched++ === 0) {
        beatAt = []
        timer = setInterval(beat, BEAT_MS)
        timer.unref()
      }
      // Counts an earlier stall before this period begins.
      beat()
      const before = stalls
      return {
        hasStalled() {
          beat()
          return stalls > before
        },
        end() {
          if (--watched === 0) clearInterval(timer)
        },
      }
    },
  }
}
