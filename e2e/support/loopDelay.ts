import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Interval of the timer in ms: short enough to meet a stall, long enough to cost nothing. */
const EVERY_MS = 10

/** Starts to measure the event-loop delay of this process. */
export function startLoopDelay() {
  const delays = monitorEventLoopDelay({ resolution: EVERY_MS })
  delays.enable()
  return {
    /** Returns the 99th percentile in ms, without the interval itself. */
    p99Ms: () => Math.max(0, delays.percentile(99) / 1e6 - EVERY_MS),
    /** Discards what was measured so far. */
    reset: () => delays.reset(),
  }
}
