import { startService } from '@touchstone402/demo'
import { allSellers, start } from '@touchstone402/economy'
import { callEverything } from '../contract/callEverything.ts'

const LIMIT = 60
/** Sellers of the short form: a safe one of each version, and some with incidents. */
const FEW: readonly string[] = ['honest-v2', 'honest-v1', 'swapped', 'price-bait', 'dead']
/** Statuses that must occur, or the calls were not effective. */
const REACHED = [200, 304, 400, 402, 404, 405, 409, 429, 503]

/**
 * Every operation, called in every way over the running economy, answers as specified by `/openapi.json`.
 *
 * The recording of the run checks each response; here are counted the statuses that occurred, and what the form of a
 * response does not show.
 */
export async function run({ short }: { short: boolean }) {
  const economy = await start(short ? { sellers: allSellers.filter(({ id }) => FEW.includes(id)) } : {})
  const settings = { PORT: '0', PUBLIC_URL: 'https://trust.example', TRUST_PROXY: '1' }
  const service = await startService(economy, {
    settings: { ...settings, RATE_LIMIT_PER_MINUTE: String(LIMIT) },
  })
  const statuses: Record<string, number> = {}
  const faults: string[] = []
  let calls = 0
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    calls += 1
    // Each call uses another client address, to stay below the rate limit.
    if (!request.headers.has('x-forwarded-for'))
      request.headers.set('x-forwarded-for', `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`)
    const response = await fetch(request, { redirect: 'manual' })
    statuses[response.status] = (statuses[response.status] ?? 0) + 1
    return response
  }
  try {
    await economy.clock.caughtUp
    await callEverything({ economy, service, send, note: (fault) => faults.push(fault), limit: LIMIT, short })
    for (const fault of faults) process.stderr.write(`${fault.slice(0, 600)}\n`)
    const missed = REACHED.filter((status) => statuses[status] === undefined)
    const figures = { calls, faults: faults.length, statuses, missed }
    return { ok: faults.length === 0 && missed.length === 0, figures }
  } finally {
    await service.stop()
    await economy.stop()
  }
}
