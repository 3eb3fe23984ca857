import fc from 'fast-check'

/** Returns a fraction of the runs of a property, at least one, for properties whose cases are expensive. */
export function fuzzRuns(fraction: number): number {
  const { numRuns = 100 } = fc.readConfigureGlobal() ?? {}
  return Math.max(1, Math.round(numRuns * fraction))
}
