/** Median, and the middle half around it. */
export type Spread = { readonly median: number; readonly low: number; readonly high: number }

/**
 * Milliseconds of processor time that this process has used, in all its threads: what the collector and a second
 * thread that unzips cost is in it, what other programs take of a busy machine is not.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Milliseconds of processor time that a synchronous piece of work takes. */
export function cpuOf(work: () => unknown): number {
  const start = cpuTime()
  work()
  return cpuTime() - start
}

/** Median with the quartiles beside it. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

/** Three digits after the point: enough to compare with a bar. */
export function round(value: number): number {
  return Math.round(value * 1000) / 1000
}

/** Ratios of what was measured side by side, turn by turn: a load that drifts moves both sides of each. */
export function ratios(parts: readonly number[], wholes: readonly number[]): Spread {
  return spread(parts.map((part, i) => part / (wholes[i] ?? Number.NaN)))
}
