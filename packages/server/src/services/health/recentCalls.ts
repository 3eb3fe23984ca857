/** Numbers of calls, and of those that failed. */
export type CallCounts = { readonly calls: number; readonly failed: number }

/**
 * Counts calls within a window, from the totals since the start that the returned function is given.
 * @param windowMs length of the window in ms
 */
export function createRecentCalls(windowMs: number): (totals: CallCounts) => CallCounts {
  const samples: { readonly at: number; readonly counts: CallCounts }[] = [
    { at: performance.now(), counts: { calls: 0, failed: 0 } },
  ]
  return ({ calls, failed }) => {
    const [at, counts] = [performance.now(), { calls, failed }]
    while (samples.length > 1 && (samples[0]?.at ?? at) < at - windowMs) samples.shift()
    const before = samples[0]?.counts ?? counts
    samples.push({ at, counts })
    return { calls: calls - before.calls, failed: failed - before.failed }
  }
}
