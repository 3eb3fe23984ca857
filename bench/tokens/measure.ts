import { openSync, readSync } from 'node:fs'

/** Median, and the middle half around it. */
export type Spread = { readonly median: number; readonly low: number; readonly high: number }

/** The first number is the nanoseconds that the main thread has been on a processor. */
const openClock = (): (() => number) => {
  try {
    const file = openSync('/proc/self/schedstat', 'r')
    const room = Buffer.alloc(64)
    return () => Number(room.toString('latin1', 0, readSync(file, room, 0, 64, 0)).split(' ')[0]) / 1e6
  } catch {
    return () => performance.now()
  }
}

/**
 * Milliseconds of processor time that this thread has used; of the clock where the system does not tell. What other
 * programs take of a busy machine is not in it, nor what the collector's own threads take from either side.
 */
export const cpuTime = openClock()

/** Milliseconds of this thread that a synchronous piece of work takes. */
export const cpuOf = (work: () => unknown): number => {
  const start = cpuTime()
  work()
  return cpuTime() - start
}

/** Median with the quartiles beside it. */
export const spread = (values: readonly number[]): Spread => {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

/** Three digits after the point: enough to compare with a bar. */
export const round = (value: number): number => Math.round(value * 1000) / 1000

/** Ratios of what was measured side by side, turn by turn: a load that drifts moves both sides of each. */
export const ratios = (parts: readonly number[], wholes: readonly number[]): Spread =>
  spread(parts.map((part, i) => part / (wholes[i] ?? Number.NaN)))
