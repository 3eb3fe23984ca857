import { existsSync, readFileSync } from 'node:fs'

/** Times of the calling thread. Source: proc(5), "/proc/pid/stat". */
const STAT = '/proc/thread-self/stat'
const TICK_MS = 10

/** Returns the processor time of this thread in ms; where the system does not tell it, the time of the clock. */
function readMs(): number {
  if (!existsSync(STAT)) return performance.now()
  // The name of the thread, in parentheses, may hold spaces.
  const fields = readFileSync(STAT, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return TICK_MS * (Number(fields[11]) + Number(fields[12]))
}

/**
 * Measures the processor time of synchronous work in ms, in steps of 10 ms. A busy machine makes it no longer, so that a
 * test may limit it.
 */
export function processorMs(work: () => void): number {
  const before = readMs()
  work()
  return readMs() - before
}
