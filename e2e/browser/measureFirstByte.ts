const ROUNDS = 40

/** Median times to the first byte of a page and of `/healthz`, in ms. */
export type FirstByte = { readonly pageMs: number; readonly healthMs: number }

/** Requests a page and `/healthz` alternately, so that other load affects both. The first rounds are the warm-up. */
export async function measureFirstByte(origin: string, path: string): Promise<FirstByte> {
  const page: number[] = []
  const health: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // A meaningless query bypasses caches.
    page.push(await timeOf(`${origin}${path}?round=${round}`))
    health.push(await timeOf(`${origin}/healthz?round=${round}`))
  }
  return { pageMs: median(page.slice(ROUNDS / 4)), healthMs: median(health.slice(ROUNDS / 4)) }
}

async function timeOf(url: string): Promise<number> {
  const before = performance.now()
  const response = await fetch(url, { headers: { Accept: 'text/html' } })
  const elapsed = performance.now() - before
  if (!response.ok) throw new Error(`${url} is ${response.status}`)
  await response.arrayBuffer()
  return elapsed
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return Math.round(100 * (sorted[Math.floor(sorted.length / 2)] ?? 0)) / 100
}
