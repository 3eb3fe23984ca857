/** Watches over this process while it waits for others. */
export type StallWatch = {
  /** Begins to watch. */
  begin(): StallSpan
}

/** One stretch of watching; ended once. */
export type StallSpan = {
  /** Whether this process stood still at some time since the beginning. */
  hasStalled(): boolean
  end(): void
}

const BEAT_MS = 250
/** A timer that fires this late, ms, says that the process stood still: stopped, starved or asleep. */
export const STALL_MS = 1_000

/**
 * Creates the watch: a heartbeat that runs while anything is watched. What ends in failure around a missing beat may
 * have failed because of us, also long before its deadline: the other side gives up on us too.
 * @param clocks all are asked, since the monotonic one may halt while the machine sleeps
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
      // A stall before the beginning is none of this stretch.
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
