import { type Service, startService } from '@touchstone402/demo'
import { allSellers, type Economy, type SellerSpec, start } from '@touchstone402/economy'
import type { Verdict } from '@touchstone402/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createShiftClock } from './support/shiftClock.ts'

const HOUR = 3_600_000
const clock = createShiftClock()
/** How the seller behaves, and how often it was probed. */
const conduct = { isBroken: false, declines: false, asked: 0 }

let economy: Economy
let service: Service

/** Creates an honest seller that can break and can opt out. */
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
/** Waits until no endpoint is due. */
const settle = () => expect.poll(() => service.crawl(), { timeout: 20_000 }).toMatchObject({ due: 0 })

test('default: a host that opts out is not probed, and its verdict expires after 48 h', async () => {
  await expect.poll(async () => (await verify()).verdict, { timeout: 20_000 }).toBe('safe')
  conduct.declines = true
  // robots.txt is read once a day.
  const { looks } = service.crawl()
  await clock.advance(25 * HOUR)
  await expect.poll(() => service.crawl().looks, { timeout: 20_000 }).toBeGreaterThan(looks)
  await settle()
  const { asked } = conduct
  expect(await verify()).toMatchObject({ verdict: 'safe', status: 'live' })

  await clock.advance(24 * HOUR)
  await expect.poll(async () => (await verify()).verdict, { timeout: 20_000 }).toBe('unknown')
  const verdict = await verify()
  expect(verdict).toMatchObject({ known: true, status: 'unmeasured' })
  expect(verdict.score).toBeUndefined()
  await settle()
  expect(conduct.asked).toBe(asked)

  conduct.declines = false
  await clock.advance(25 * HOUR)
  await expect.poll(async () => (await verify()).verdict, { timeout: 20_000 }).toBe('safe')
  expect(conduct.asked).toBeGreaterThan(asked)
})

test('behavior: a repaired host is re-checked at once, at most once an hour', async () => {
  conduct.isBroken = true
  await clock.advance(24 * HOUR)
  await expect.poll(async () => (await verify()).degraded, { timeout: 20_000 }).toBe(true)
  conduct.isBroken = false
  await settle()
  const before = await verify()

  const answer = await fetch(recheckUrl(), { headers: { accept: 'application/json' } })
  expect(answer.status).toBe(202)
  expect(await answer.json()).toMatchObject({ host: seller().host, endpoints: [seller().url] })
  // Time was not moved forward, so nothing else is due.
  await expect.poll(async () => (await verify()).degraded, { timeout: 10_000 }).toBe(false)
  expect((await verify()).probes).toBeGreaterThan(before.probes)

  const again = await fetch(recheckUrl())
  expect(again.status).toBe(429)
  expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(3000)
})
