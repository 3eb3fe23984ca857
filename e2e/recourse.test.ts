import { type Service, startService } from '@touchstone402/demo'
import { allSellers, type Economy, type SellerSpec, start } from '@touchstone402/economy'
import type { Verdict } from '@touchstone402/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createShiftClock } from './support/shiftClock.ts'

const HOUR = 3_600_000
const clock = createShiftClock()
/** What the seller of this test does, and how often it was asked for its terms. */
const conduct = { isBroken: false, declines: false, asked: 0 }

let economy: Economy
let service: Service

/** An honest seller that can break, and can ask not to be probed. */
function makeSeller(): SellerSpec {
  const honest = allSellers.find(({ id }) => id === 'honest-v1')
  if (honest === undefined) throw new Error('no honest seller')
  return {
    ...honest,
    id: 'mender',
    create: (context) => {
      const inner = honest.create(context)
      return {
        ...inner,
        handle: (request, response) => {
          if (request.url === '/robots.txt' && conduct.declines)
            return void response.end('User-agent: touchstone\nDisallow: /\n')
          if (request.url?.startsWith(honest.path) !== true) return void response.writeHead(404).end()
          conduct.asked++
          if (conduct.isBroken) return void response.writeHead(500).end()
          inner.handle(request, response)
        },
      }
    },
  }
}

beforeAll(async () => {
  economy = await start({ sellers: [makeSeller()], clock: 'real' })
  service = await startService(economy, {
    clock,
    settings: { PORT: '0', PUBLIC_URL: 'https://trust.example' },
  })
})
afterAll(async () => {
  await service?.stop()
  await economy?.stop()
})

const seller = () => {
  const handle = economy.sellers.mender
  if (handle === undefined) throw new Error('no such seller')
  return handle
}
const verify = async () => {
  const response = await fetch(`${service.url}/verify?endpoint=${encodeURIComponent(seller().url)}`)
  return (await response.json()) as Verdict
}
const recheckUrl = () => `${service.url}/services/${encodeURIComponent(seller().host)}/recheck`
/** Waits until nothing is left to look at. */
const settle = () => expect.poll(() => service.crawl(), { timeout: 20_000 }).toMatchObject({ due: 0 })

test('default: a host that declines is left alone, and its verdict is unknown after 48 hours', async () => {
  await expect.poll(async () => (await verify()).verdict, { timeout: 20_000 }).toBe('safe')
  conduct.declines = true
  // Its word is read once a day.
  clock.advance(25 * HOUR)
  const { looks } = service.crawl()
  await expect.poll(() => service.crawl().looks, { timeout: 20_000 }).toBeGreaterThan(looks)
  await settle()
  const { asked } = conduct
  expect(await verify()).toMatchObject({ verdict: 'safe', status: 'live' })

  clock.advance(24 * HOUR)
  await expect.poll(async () => (await verify()).verdict, { timeout: 20_000 }).toBe('unknown')
  const verdict = await verify()
  expect(verdict).toMatchObject({ known: true, status: 'unmeasured' })
  expect(verdict.score).toBeUndefined()
  await settle()
  expect(conduct.asked).toBe(asked)

  conduct.declines = false
  clock.advance(25 * HOUR)
  await expect.poll(async () => (await verify()).verdict, { timeout: 20_000 }).toBe('safe')
  expect(conduct.asked).toBeGreaterThan(asked)
})

test('behavior: who has mended something is looked at again at once, once an hour', async () => {
  conduct.isBroken = true
  clock.advance(24 * HOUR)
  await expect.poll(async () => (await verify()).degraded, { timeout: 20_000 }).toBe(true)
  conduct.isBroken = false
  await settle()
  const before = await verify()

  const answer = await fetch(recheckUrl(), { headers: { accept: 'application/json' } })
  expect(answer.status).toBe(202)
  expect(await answer.json()).toMatchObject({ host: seller().host, endpoints: [seller().url] })
  // The clock has not been put forward: nothing was due by itself.
  await expect.poll(async () => (await verify()).degraded, { timeout: 10_000 }).toBe(false)
  expect((await verify()).probes).toBeGreaterThan(before.probes)

  const again = await fetch(recheckUrl())
  expect(again.status).toBe(429)
  expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(3000)
})
