import { type Service, startService } from '@touchstone402/demo'
import { allSellers, type Economy, type SellerSpec } from '@touchstone402/economy'
import type { Verdict } from '@touchstone402/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEconomy } from './support/economy.ts'
import { createShiftClock } from './support/shiftClock.ts'

const HOUR = 3_600_000
const clock = createShiftClock()
/** How the seller behaves, how often it was probed, and the token that it publishes. */
const conduct = { isBroken: false, declines: false, asked: 0, claim: '' }

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
          if (request.url === '/.well-known/touchstone.txt' && conduct.claim !== '')
            return void response.end(conduct.claim)
          // The same offer, at a path that no directory lists.
          if (request.url === '/unlisted') request.url = honest.path
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
  economy = await startEconomy({ sellers: [makeSeller()], clock: 'real' })
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
const check = (fields: Record<string, string>) =>
  fetch(`${service.url}/scans`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
const readCheck = async (answer: Response) =>
  (await fetch(`${service.url}${answer.headers.get('location')}.json`)).json()
/** Waits until no endpoint is due. */
const settle = () => expect.poll(() => service.crawl(), { timeout: 20_000 }).toMatchObject({ due: 0 })

test('default: a host that opts out is not probed, and its verdict expires after 48 h', async () => {
  await expect.poll(async () => (await verify()).verdict, { timeout: 20_000 }).toBe('safe')
  conduct.declines = true
  // robots.txt is read once a day.
  const { probes } = service.crawl()
  await clock.advance(25 * HOUR)
  await expect.poll(() => service.crawl().probes, { timeout: 20_000 }).toBeGreaterThan(probes)
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

test('behavior: a repaired host is checked at once', async () => {
  conduct.isBroken = true
  await clock.advance(24 * HOUR)
  await expect.poll(async () => (await verify()).degraded, { timeout: 20_000 }).toBe(true)
  conduct.isBroken = false
  await settle()
  const before = await verify()

  const answer = await check({ host: seller().host })
  expect(answer.status).toBe(303)
  const body = { host: seller().host, endpoint: null, endpoints: [{ endpoint: seller().url }] }
  expect(await readCheck(answer)).toMatchObject(body)
  // Time was not moved forward, so nothing else is due.
  await expect.poll(async () => (await verify()).degraded, { timeout: 10_000 }).toBe(false)
  expect((await verify()).probes).toBeGreaterThan(before.probes)
  await expect.poll(async () => (await readCheck(answer)).state, { timeout: 10_000 }).toBe('done')

  const old = await fetch(`${service.url}/rechecks`, {
    method: 'POST',
    body: new URLSearchParams({ host: seller().host }),
    redirect: 'manual',
  })
  expect([old.status, old.headers.get('location')]).toEqual([308, '/scans'])
})

test('behavior: an unlisted endpoint is measured by a check, and nothing is recorded', async () => {
  const { origin } = new URL(seller().url)
  for (const [url, found] of [
    [
      `${origin}/unlisted`,
      { state: 'done', publication: 'not_named', result: { verdict: expect.any(String) } },
    ],
    [`${origin}/nothing-here`, { state: 'done', publication: 'no_terms', terms: [] }],
    ['http://169.254.169.254/latest/meta-data', { state: 'failed', failure: 'not_public' }],
    ['http://10.1.2.3/', { state: 'failed', failure: 'not_public' }],
  ] as const) {
    const answer = await check({ url, publish: '1' })
    expect(answer.status).toBe(303)
    const read = () => readCheck(answer)
    await expect.poll(async () => (await read()).state, { timeout: 20_000 }).toMatch(/done|failed/)
    expect(await read()).toMatchObject({ ...found, published: false })
    const unknown = await fetch(`${service.url}/verify?endpoint=${encodeURIComponent(url)}`)
    expect(await unknown.json()).toMatchObject({ known: false, verdict: 'unknown' })
  }
})

test('behavior: the owner of a host claims it by a file and disputes a measurement', async () => {
  const { host, url } = seller()
  const owners = `${service.url}/owners/${encodeURIComponent(host)}`
  const { secret, file } = await (await fetch(`${owners}.json`)).json()
  expect(file.url).toBe(`http://${host}/.well-known/touchstone.txt`)
  const post = (path: string, fields: Record<string, string>) =>
    fetch(owners + path, { method: 'POST', body: new URLSearchParams({ secret, ...fields }) })
  const dispute = () => post('/disputes', { about: url, text: 'The network was down.' })
  expect(await (await post('/claims', { method: 'file' })).json()).toMatchObject({
    code: 'invalid_fields',
    errors: [{ code: 'not_found' }],
  })
  expect((await dispute()).status).toBe(400)

  conduct.claim = file.line
  expect(await (await post('/claims', { method: 'file' })).json()).toMatchObject({ host, method: 'file' })
  const readPage = async () =>
    (await fetch(`${service.url}/services/${host}`, { headers: { accept: 'text/html' } })).text()
  expect(await readPage()).toContain('Claimed since')
  const sent = await dispute()
  expect([sent.status, await sent.json()]).toEqual([202, { id: expect.any(String), host, state: 'waiting' }])
  expect(await readPage()).not.toContain('The network was down')

  conduct.claim = ''
  for (let days = 0; days < 3; days++) {
    expect(await readPage()).toContain('Claimed since')
    await clock.advance(25 * HOUR)
    await settle()
  }
  await expect.poll(readPage, { timeout: 20_000 }).not.toContain('Claimed since')
})
