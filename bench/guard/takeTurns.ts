/** Returns the median. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Measures the duration of a call in ms. */
export async function time(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await call()
  return performance.now() - startedAt
}

/** Alternates two calls, each first equally often. Returns the durations of each in ms. */
export async function takeTurns(rounds: number, one: () => Promise<unknown>, other: () => Promise<unknown>) {
  const times: [number[], number[]] = [[], []]
  for (let count = 0; count < rounds; count++) {
    if (count % 2 === 0) times[0].push(await time(one))
    times[1].push(await time(other))
    if (count % 2 === 1) times[0].push(await time(one))
  }
  return times
}
