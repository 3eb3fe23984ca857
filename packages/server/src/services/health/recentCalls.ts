/** Numbers of calls, and of those that failed. */
export type CallCounts = { readonly calls: number; readonly failed: number }

/**
 * Counts calls within a window, of which the totals are read whenever the returned function is called.
 * @param totals calls since the start of the process
 * @param windowMs length of the window in ms
 */
export function createRecentCalls(totals: () => CallCounts, windowMs: number): () => CallCounts {
  const samples: { readonly at: number; readonly counts: CallCounts }[] = [
    { at: performance.now(), counts: { calls: 0, failed: 0 } },
  ]
  return () => {
    const [at, counts] = [performance.now(), totals()]
    while (samples.length > 1 && (samples[0]?.at ?? at) < at - windowMs) samples.shift()
    const before = samples[0]?.counts ?? counts
    samples.push({ at, counts })
    return { calls: counts.calls - before.calls, failed: counts.failed - before.failed }
  }
}
