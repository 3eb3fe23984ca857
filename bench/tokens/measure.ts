/** Median with quartiles. */
export type Spread = { readonly median: number; readonly low: number; readonly high: number }

/** CPU time of this process in ms, over all threads: includes garbage collection and decompression, excludes other processes. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Returns the CPU time of a synchronous function in ms. */
export function cpuOf(work: () => unknown): number {
  const start = cpuTime()
  work()
  return cpuTime() - start
}

/** Computes the median and quartiles. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

/** Rounds to three decimal places. */
export function round(value: number): number {
  return Math.round(value * 1000) / 1000
}

/** Computes ratios turn by turn, so that a drifting load affects both sides. */
export function ratios(parts: readonly number[], wholes: readonly number[]): Spread {
  return spread(parts.map((part, i) => part / (wholes[i] ?? Number.NaN)))
}
