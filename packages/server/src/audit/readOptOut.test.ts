import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { DAY } from '../facts/times.ts'
import { systemClock } from '../lib/clock.ts'
import { cleanUpAfterEach, serve, start } from '../probe/testing/harness.ts'
import { createPolicies, type OptOutContext, proofsOf, readPermission } from './readOptOut.ts'

cleanUpAfterEach()

const DECLINES = 'User-agent: Touchstone\nDisallow: /\n'

const open = (prober: OptOutContext['prober'], now: () => number): OptOutContext => ({
  prober,
  clock: { ...systemClock, now },
  policies: createPolicies({ now }),
})

/** Creates a reader of a host with this `robots.txt`, a manual clock and a request count. */
async function startReader(robots: string | null) {
  const state = { robots, at: 0, asked: 0 }
  const port = await serve((request, response) => {
    const isRobots = request.url === '/robots.txt'
    if (isRobots) state.asked++
    if (isRobots && state.robots !== null) response.end(state.robots)
    else response.writeHead(404).end()
  })
  const reader = open(start([port]), () => state.at)
  const url = `http://shop.test:${port}/quote`
  const isOptedOut = async (signal?: AbortSignal) =>
    (await readPermission(reader, url, signal)) === 'opted_out'
  return { state, reader, url, isOptedOut }
}

describe('readPermission', () => {
  test('default: caches a policy for a day, even if there is none', async () => {
    for (const robots of [DECLINES, null]) {
      const { state, isOptedOut } = await startReader(robots)
      expect(await isOptedOut()).toBe(robots !== null)
      state.at = DAY - 1
      await isOptedOut()
      expect(state.asked).toBe(1)
      state.at = DAY
      await isOptedOut()
      expect(state.asked).toBe(2)
    }
  })

  test('behavior: a fault of ours grants nothing, names its cause and is not cached', async () => {
    const { reader, url } = await startReader(null)
    expect(await readPermission(reader, url, AbortSignal.abort())).toBe('own_fault')
    expect(await readPermission(reader, 'http://again.example/quote')).toBe('dns_failed')
    expect(await readPermission(reader, url)).toBe('granted')
  })

  test('behavior: keeps the last policy while a refresh fails on our side', async () => {
    const { state, isOptedOut } = await startReader(DECLINES)
    expect(await isOptedOut()).toBe(true)
    state.at = DAY
    expect(await isOptedOut(AbortSignal.abort())).toBe(true)
    state.robots = null
    expect(await isOptedOut()).toBe(false)
  })

  test('behavior: keeps the rules of a host, not its documents', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const heap = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const filler = Array.from({ length: 4000 }, (_, index) => `# a comment of the seller, number ${index}`)
    const signature = `0x${'ab'.repeat(2000)}`
    const receiver = { payTo: `0x${'a'.repeat(40)}`, expires: '2027-01-01T00:00:00Z', signature }
    const document = async (url: string) => {
      // A text of its own for each host, as the network gives it.
      const text = url.endsWith('robots.txt')
        ? [`# ${url}`, 'User-agent: touchstone', 'Disallow: /private/for/nobody', ...filler].join('\n')
        : JSON.stringify({ url, receivers: Array.from({ length: 15 }, () => receiver) })
      return Buffer.from(text).toString()
    }
    const reader = open({ document }, () => 0)
    const before = heap()
    const origins = Array.from({ length: 1000 }, (_, index) => `https://shop-${index}.test`)
    for (const origin of origins) await readPermission(reader, `${origin}/quote`)
    // The texts take 200 MB, and all proofs 60 MB.
    expect(heap() - before).toBeLessThan(24e6)
    expect(await readPermission(reader, `${origins[0]}/private/for/nobody`)).toBe('opted_out')
    expect(proofsOf(reader, `${origins[0]}/quote`)).toHaveLength(3)
  })
})
