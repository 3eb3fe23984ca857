import { walletAt } from '@touchstone402/economy'
import { beforeAll, expect, test } from 'vitest'
import { type MovedService, useMovedService } from './support/movedService.ts'
import type { Script } from './support/scriptedHosts.ts'
import { offerOf } from './support/seller.ts'

/** How the seller behaves, how often it was probed, and the token that it publishes. */
const conduct = { isBroken: false, declines: false, asked: 0, claim: '' }
const NOT_FOUND = { status: 404, body: '{}' }

/** An honest seller that can break and can opt out. It has the same offer at a path that no directory lists. */
const mender: Script = {
  reply: ({ path }) => {
    if (path === '/robots.txt' && conduct.declines)
      return { status: 200, body: 'User-agent: touchstone\nDisallow: /\n' }
    if (path === '/.well-known/touchstone.txt' && conduct.claim !== '')
      return { status: 200, body: conduct.claim }
    if (path !== '/api' && path !== '/unlisted') return NOT_FOUND
    conduct.asked++
    return conduct.isBroken ? { status: 500, body: '' } : [offerOf(walletAt(210).address, '10000')]
  },
}

let moved: MovedService
let url: string
let host: string

beforeAll(async () => {
  moved = await useMovedService()
  url = (await moved.open({ mender })).url('mender')
  host = new URL(url).host
})

const verify = () => moved.verify(url)
const check = (fields: Record<string, string>) =>
  fetch(`${moved.service.url}/scans`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
const readCheck = async (answer: Response) =>
  (await fetch(`${moved.service.url}${answer.headers.get('location')}.json`)).json()
test('default: a host that opts out is not probed, and its verdict expires after 48 h', async () => {
  expect((await verify()).verdict).toBe('safe')
  conduct.declines = true
  // robots.txt is read once a day.
  const { probes } = moved.service.crawl()
  await moved.pass(25, 25)
  expect(moved.service.crawl().probes).toBeGreaterThan(probes)
  const { asked } = conduct
  expect(await verify()).toMatchObject({ verdict: 'safe', status: 'live' })

  await moved.pass(24, 24)
  const verdict = await verify()
  expect(verdict).toMatchObject({ known: true, verdict: 'unknown', status: 'unmeasured' })
  expect(verdict.score).toBeUndefined()
  expect(conduct.asked).toBe(asked)

  conduct.declines = false
  await moved.pass(25, 25)
  expect((await verify()).verdict).toBe('safe')
  expect(conduct.asked).toBeGreaterThan(asked)
})

test('behavior: a repaired host is checked at once', async () => {
  conduct.isBroken = true
  await moved.pass(24, 24)
  expect((await verify()).degraded).toBe(true)
  conduct.isBroken = false
  const before = await verify()

  const answer = await check({ host })
  expect(answer.status).toBe(303)
  const body = { host, endpoint: null, endpoints: [{ endpoint: url }] }
  expect(await readCheck(answer)).toMatchObject(body)
  // Time was not moved forward, so nothing else is due.
  await expect.poll(async () => (await verify()).degraded).toBe(false)
  expect((await verify()).probes).toBeGreaterThan(before.probes)
  await expect.poll(async () => (await readCheck(answer)).state).toBe('done')

  const old = await fetch(`${moved.service.url}/rechecks`, {
    method: 'POST',
    body: new URLSearchParams({ host }),
    redirect: 'manual',
  })
  expect([old.status, old.headers.get('location')]).toEqual([308, '/scans'])
})

test('behavior: an unlisted endpoint is measured by a check, and nothing is recorded', async () => {
  const { origin } = new URL(url)
  for (const [asked, found] of [
    [
      `${origin}/unlisted`,
      { state: 'done', publication: 'not_named', result: { verdict: expect.any(String) } },
    ],
    [`${origin}/nothing-here`, { state: 'done', publication: 'no_terms', terms: [] }],
    ['http://169.254.169.254/latest/meta-data', { state: 'failed', failure: 'not_public' }],
    ['http://10.1.2.3/', { state: 'failed', failure: 'not_public' }],
  ] as const) {
    const answer = await check({ url: asked, publish: '1' })
    expect(answer.status).toBe(303)
    const read = () => readCheck(answer)
    await expect.poll(async () => (await read()).state).toMatch(/done|failed/)
    expect(await read()).toMatchObject({ ...found, published: false })
    const unknown = await fetch(`${moved.service.url}/verify?endpoint=${encodeURIComponent(asked)}`)
    expect(await unknown.json()).toMatchObject({ known: false, verdict: 'unknown' })
  }
})

test('behavior: the owner of a host claims it by a file, disputes a measurement and replies', async () => {
  const owners = `${moved.service.url}/owners/${encodeURIComponent(host)}`
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
    (await fetch(`${moved.service.url}/services/${host}`, { headers: { accept: 'text/html' } })).text()
  expect(await readPage()).toContain('Claimed since')
  const sent = await dispute()
  expect(sent.status).toBe(202)
  expect(await sent.json()).toMatchObject({ id: expect.any(String), host, state: 'open' })
  const disputed = await readPage()
  expect(disputed).toContain('dispute open since')
  expect(disputed).not.toContain('The network was down')

  const before = await verify()
  const replied = await post('/replies', { about: host, text: 'We were moving house.' })
  expect(await replied.json()).toMatchObject({ about: host, state: 'shown' })
  expect(await readPage()).toContain('We were moving house.')
  expect(await verify()).toMatchObject({ reasons: before.reasons, verdict: before.verdict })
  for (const path of ['/incidents.json', '/changes.json', '/llms.txt', `/services/${host}.json`])
    expect(await (await fetch(moved.service.url + path)).text()).not.toContain('moving house')

  conduct.claim = ''
  for (let days = 0; days < 3; days++) {
    expect(await readPage()).toContain('Claimed since')
    await moved.pass(25, 25)
  }
  await expect.poll(readPage).not.toContain('Claimed since')
  expect(await readPage()).not.toContain('We were moving house.')
})
