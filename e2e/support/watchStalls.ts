import { openSync, readSync } from 'node:fs'
import { createHistogram } from 'node:perf_hooks'

/** Delays of an event loop, in milliseconds. A thread that waits for a processor uses none, so its own are separate. */
export type Stalls = {
  /** The longest one that the loop caused itself: bounded by the processor time of its thread in the meantime. */
  readonly maxMs: number
  /** 99th percentile of those. */
  readonly p99Ms: number
}

/** Ends a watch, and returns the delays. */
export type EndWatch = {
  (): Stalls
  /** Returns them without ending it. */
  soFar(): Stalls
}

/** Interval of the timer in ms. */
const EVERY_MS = 1

const text = Buffer.alloc(100)
let file: number | undefined

/** Returns the processor time of the main thread, which Linux reports in nanoseconds. */
function mainThreadMs(): number {
  file ??= openSync('/proc/self/schedstat', 'r')
  const length = readSync(file, text, 0, text.length, 0)
  return Number.parseInt(text.toString('latin1', 0, length), 10) / 1e6
}

/** Watches the event loop until the returned function is called. */
export function watchStalls(): EndWatch {
  const own = createHistogram()
  let at = performance.now()
  let used = mainThreadMs()
  const timer = setInterval(() => {
    const now = performance.now()
    const usedNow = mainThreadMs()
    own.record(Math.max(1, Math.round(1e6 * Math.min(now - at, usedNow - used))))
    at = now
    used = usedNow
  }, EVERY_MS)
  const soFar = () => ({
    maxMs: own.max / 1e6,
    p99Ms: own.percentile(99) / 1e6,
  })
  const end = () => {
    clearInterval(timer)
    return soFar()
  }
  return Object.assign(end, { soFar })
}
