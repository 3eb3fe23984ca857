import { createGuard, type FetchLike } from '@touchstone402/guard'
import { serve } from '../../e2e/support/serve.ts'
import { median, takeTurns } from './takeTurns.ts'

/** Measures calls without a 402, guarded against bare. They cause no verdict request. */
export async function measureFreeCalls(short: boolean) {
  const guard = createGuard({ service: { url: 'http://127.0.0.1:9' } })
  return {
    ratio: await compare(guard.fetch, short ? 1_000 : 5_000),
    addedUs: await measureAdded(guard.fetch, short ? 20 : 100),
  }
}

type Wrap = (inner?: FetchLike) => FetchLike

/** Compares over a real connection. */
async function compare(wrap: Wrap, rounds: number): Promise<number> {
  const server = await serve((_, response) => response.end('{"weather":"sunny"}'))
  const guarded = wrap(fetch)
  const read = (from: FetchLike) => async () => (await from(`${server.url}/weather`)).text()
  await takeTurns(rounds, read(fetch), read(guarded))
  const [bare, behind] = await takeTurns(rounds, read(fetch), read(guarded))
  await server.stop()
  return median(behind) / median(bare)
}

const CALLS = 20_000

/** Measures the added time per call in µs, over an inner fetch that resolves immediately. */
async function measureAdded(wrap: Wrap, rounds: number): Promise<number> {
  const answer = new Response('sunny')
  const inner: FetchLike = async () => answer
  const guarded = wrap(inner)
  const many = (from: FetchLike) => async () => {
    for (let count = 0; count < CALLS; count++) await from('https://api.example.com/weather')
  }
  await takeTurns(5, many(inner), many(guarded))
  const [bare, behind] = await takeTurns(rounds, many(inner), many(guarded))
  return ((median(behind) - median(bare)) / CALLS) * 1000
}
