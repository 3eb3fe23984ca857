import { randomBytes } from 'node:crypto'
import { encodeBase64Json, ScanSchema } from '@touchstone402/shared'
import { expect, onTestFinished, test } from 'vitest'
import { createUnpaidCaller } from '../../adapters/probe/createUnpaidCaller.ts'
import { cleanUpAfterEach, lookup } from '../../adapters/probe/testing/harness.ts'
import { answer, challengeFor, pay, startSeller } from '../../audit/testing/startSeller.ts'
import { DAY } from '../../domain/facts/times.ts'
import { createScans, type ScansDeps } from '../../scans/createScans.ts'
import type { PageDeps } from '../pageDeps.ts'
import { HTML, openPages } from '../testing/openPages.ts'

cleanUpAfterEach()

/** Starts a seller, and the service with real scans of it. */
async function open(change: Partial<ScansDeps> = {}, pages: Partial<PageDeps> = {}) {
  const shop = await startSeller()
  const errors: unknown[] = []
  const caller = createUnpaidCaller({
    contact: 'https://touchstone.test',
    lookup,
    allowPrivate: [`127.0.0.1:${shop.port}`],
  })
  let later = 0
  const scans = createScans({
    documents: shop.store.expiring,
    auditor: shop.auditor,
    ask: caller.ask,
    resolve: caller.resolve,
    clock: { now: () => shop.now() + later },
    newId: () => randomBytes(16).toString('base64url'),
    onError: (error) => errors.push(error),
    ...change,
  })
  onTestFinished(async () => {
    await scans.close()
    await caller.close()
  })
  const origin = await openPages([], { scans, ...pages })
  const post = (url: string, init: RequestInit = {}) =>
    fetch(`${origin}/scans`, {
      method: 'POST',
      body: new URLSearchParams({ url }),
      redirect: 'manual',
      ...init,
    })
  const start = async (url: string) => origin + (await post(url)).headers.get('location')
  const json = async (path: string) => (await fetch(`${path}.json`)).json()
  const finish = async (path: string) => {
    await expect.poll(async () => (await json(path)).state, { timeout: 20_000 }).toMatch(/done|failed/)
    const scan = await json(path)
    expect(ScanSchema.parse(scan)).toEqual(scan)
    return scan
  }
  const advance = (ms: number) => {
    later += ms
  }
  return { ...shop, origin, post, start, json, finish, advance, errors }
}

type Check = { id: string; outcome: string }
const failedOf = ({ result }: { result: { checks: Check[] } }) =>
  result.checks.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)

test('default: a form leads to a page that shows progress and then what was found', async () => {
  const { endpoint, seller, post, origin, finish, errors } = await open()
  const held: (() => void)[] = []
  let isHeld = true
  seller.quote = async (request, response) => {
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve))
    response.setHeader('X-Powered-By', 'Express')
    return pay(request, response)
  }
  const posted = await post(`${endpoint}?secret=1`)
  const place = posted.headers.get('location') ?? ''
  expect(posted.status).toBe(303)
  expect(place).toMatch(/^\/scans\/[\w-]{22}$/)
  const page = async () => {
    const answered = await fetch(origin + place, HTML)
    return { text: await answered.text(), headers: answered.headers }
  }
  await expect.poll(() => held.length, { timeout: 5_000 }).toBeGreaterThan(0)
  const running = await page()
  expect(running.headers.get('refresh')).toBe('2')
  expect(running.headers.get('cache-control')).toContain('max-age=0')
  expect(running.headers.get('x-robots-tag')).toBe('noindex')
  isHeld = false
  for (const resume of held) resume()
  const scan = await finish(origin + place)
  expect(scan).toMatchObject({
    endpoint,
    state: 'done',
    failure: null,
    result: { stack: 'express', method: 'GET' },
  })
  expect(failedOf(scan)).toEqual(expect.arrayContaining(['insecure_http', 'output_undeclared']))
  expect(scan.result.band).toBe('good')
  const done = await page()
  expect(done.headers.get('refresh')).toBeNull()
  expect(done.text).toContain('name="robots" content="noindex"')
  expect(done.text).toContain('The endpoint is served over plain http')
  expect(done.text).toContain('Nothing speaks against paying this, but agents may fail to')
  expect(done.text).toContain('Recipe for Express, @x402/express')
  expect(done.text).toContain('The same terms for every client')
  expect(done.text + JSON.stringify(scan)).not.toContain('secret')
  expect(errors).toEqual([])
})

test('behavior: a scan is one more look, and nothing is paid', async () => {
  const { endpoint, seller, store, start, finish } = await open()
  const payments: unknown[] = []
  seller.quote = (request, response) => {
    payments.push(request.headers['payment-signature'] ?? request.headers['x-payment'])
    return pay(request, response)
  }
  await finish(await start(endpoint))
  expect(payments.length).toBeGreaterThan(3)
  expect(new Set(payments)).toEqual(new Set([undefined]))
  for (const { purpose } of await store.looks(endpoint)) expect(['live', 'control']).toContain(purpose)
  expect((await store.endpoint(endpoint))?.state.flags).not.toContain('insecure_http')
})

test('behavior: names what to fix, the most serious first', async () => {
  const { endpoint, seller, start, finish } = await open()
  seller.quote = (request, response) => {
    const { accepts, ...rest } = challengeFor(request)
    const offers = accepts.map((offer) => ({ ...offer, payTo: offer.asset, maxTimeoutSeconds: 86_400 }))
    response.setHeader('payment-required', encodeBase64Json({ ...rest, accepts: offers }))
    response.writeHead(402).end('{}')
  }
  const scan = await finish(await start(endpoint))
  expect(failedOf(scan)).toEqual(expect.arrayContaining(['receiver_unverified', 'timeout_strange']))
  const severities: string[] = scan.result.checks
    .filter(({ outcome }: Check) => outcome === 'fail')
    .map(({ severity }: { severity: string }) => severity)
  const ranks = severities.map((severity) => ['critical', 'warn', 'info'].indexOf(severity))
  expect(ranks).toEqual(ranks.toSorted())
})

test('behavior: an endpoint that asks for no payment, one that declines, and one that is not public', async () => {
  const { endpoint, seller, origin, start, finish } = await open()
  seller.quote = answer(200)
  const scan = await finish(await start(endpoint))
  expect(scan).toMatchObject({ state: 'done', result: { verdict: 'unknown', method: null } })
  expect(failedOf(scan)).toContain('no_challenge')
  const url = await start('http://10.0.0.1/quote')
  expect(await finish(url)).toMatchObject({ state: 'failed', failure: 'not_public', result: null })
  expect(await (await fetch(url, HTML)).text()).toContain('The host has no public address')
  expect((await fetch(`${origin}/scans/none`)).status).toBe(404)

  const other = await open()
  other.seller.wellKnown = JSON.stringify({ probes: false })
  expect(await other.finish(await other.start(other.endpoint))).toMatchObject({ failure: 'opted_out' })
  expect(other.seller.asked).toEqual([])
})

test('behavior: a host name that cannot be resolved is said to be one, and can be corrected', async () => {
  const { start, finish } = await open()
  // The resolver itself fails for one, and for the other it is not known to work.
  for (const host of ['again.example', 'api.exmaple.com']) {
    const url = await start(`https://${host}/a`)
    expect(await finish(url)).toMatchObject({ state: 'failed', failure: 'dns_failed', result: null })
    const page = await (await fetch(url, HTML)).text()
    expect(page).toContain('The host name cannot be resolved. Check the spelling.')
    expect(page).not.toContain('fault on our side')
    expect(page).toMatch(new RegExp(`<input id="scan-url"[^>]*value="https://${host}/a"`))
  }
  // Known to work, since it resolved the name of another endpoint.
  const { endpoint, ...other } = await open()
  await other.finish(await other.start(endpoint))
  const typo = await other.finish(await other.start('https://api.exmaple.com/a'))
  expect(typo).toMatchObject({ failure: 'dns_failed' })
})

test('behavior: a fault of ours is said to be one', async () => {
  const lookLive = () => Promise.reject(new Error('the store failed'))
  const { start, finish, errors } = await open({ auditor: { lookLive } })
  const url = await start('https://a.example/')
  expect(await finish(url)).toMatchObject({ failure: 'own_fault' })
  expect(await (await fetch(url, HTML)).text()).toContain('because of a fault on our side')
  expect(errors).toHaveLength(1)
})

test('behavior: a browser gets the form again with what is wrong with the URL', async () => {
  const { post } = await open()
  const read = async (url: string) => {
    const answered = await post(url, HTML)
    expect([answered.status, answered.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    return answered.text()
  }
  const empty = await read(' ')
  expect(empty).toMatch(/<p class="fault" id="scan-url-fault" role="alert">Enter the URL\.</)
  expect(empty).toContain('<form class="search large" action="/scans" method="post">')
  const word = await read('hello')
  expect(word).toMatch(/<input id="scan-url"[^>]*value="hello"[^>]*aria-invalid="true"/)
  expect(word).toMatch(/role="alert">expected a full host name or an IP address/)
  const hostile = await read('ftp://x/"><b>')
  expect(hostile).toContain('role="alert">expected the scheme http or https')
  expect(hostile).not.toContain('<b>')
})

test('behavior: a name without a dot is scanned where the operator lets it be reached', async () => {
  const urls = ['hello', 'http://hello:4021/a', 'https://localhost/', 'http://[::1]/a', 'http://10.1/a']
  const statuses = async (developmentHosts?: readonly string[]) => {
    const { post } = await open({}, developmentHosts && { developmentHosts })
    const all: number[] = []
    for (const url of urls) all.push((await post(url)).status)
    return all
  }
  expect(await statuses()).toEqual([400, 400, 400, 303, 303])
  expect(await statuses(['127.0.0.1:4020'])).toEqual([400, 400, 303, 303, 303])
  expect(await statuses(['hello:4021'])).toEqual([400, 303, 303, 303, 303])
})

test('behavior: takes JSON, and keeps a scan for 90 days', async () => {
  const { endpoint, post, origin, advance } = await open()
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' }
  const posted = await post('', { headers, body: JSON.stringify({ url: endpoint }) })
  expect([posted.status, await posted.json()]).toMatchObject([303, { endpoint, state: 'queued' }])
  const place = origin + posted.headers.get('location')
  advance(90 * DAY - 1)
  expect((await fetch(place)).status).toBe(200)
  advance(1)
  expect((await fetch(place)).status).toBe(404)
})

test('error: refuses what is no URL of an endpoint, and bodies of other kinds', async () => {
  const { post, origin } = await open()
  const codeOf = async (answered: Response) => {
    const { code, errors } = await answered.json()
    return [answered.status, code, errors?.[0]?.code]
  }
  expect(await codeOf(await post(''))).toEqual([400, 'bad_url', 'missing'])
  expect(await codeOf(await post('hello'))).toEqual([400, 'bad_url', 'bad_host'])
  expect(await codeOf(await post('ftp://x'))).toEqual([400, 'bad_url', 'scheme_not_http'])
  expect(await codeOf(await post('https://a.example/{city}'))).toEqual([400, 'bad_url', 'template'])
  const json = { 'Content-Type': 'application/json' }
  expect(await codeOf(await post('', { headers: json, body: '[1]' }))).toEqual([400, 'bad_body', undefined])
  expect(await codeOf(await post('', { headers: json, body: '{"url":["x"]}' }))).toEqual([
    400,
    'invalid_fields',
    'malformed',
  ])
  expect((await post('', { body: 'url=x', headers: { 'Content-Type': 'text/plain' } })).status).toBe(415)
  expect((await post('', { body: 'x'.repeat(20_000), headers: json })).status).toBe(413)
  const get = await fetch(`${origin}/scans`, { redirect: 'manual' })
  expect([get.status, get.headers.get('location')]).toEqual([303, '/'])
})

test('error: limits scans by client, by domain and by address, and the queue', async () => {
  // Never ends, so that the others wait.
  const hold = { lookLive: () => new Promise<never>(() => {}) }
  const resolve = async () => ['198.51.100.7']
  const limited = async (url: (index: number) => string, client: (index: number) => string) => {
    const scans = createScans({
      ...{ documents: (await startSeller()).store.expiring, auditor: hold, resolve },
      ask: () => Promise.reject(new Error('not asked')),
      ...{ clock: { now: () => 0 }, newId: () => randomBytes(16).toString('hex'), onError: () => {} },
    })
    const codes: string[] = []
    for (let index = 0; index < 40; index++) {
      const outcome = scans.start(url(index), client(index))
      codes.push(
        await outcome.then(
          () => 'ok',
          (error) => error.refusal.code,
        ),
      )
    }
    return [codes.filter((code) => code === 'ok').length, codes.at(-1)]
  }
  const other = (index: number) => `client ${index}`
  expect(
    await limited(
      (index) => `https://h${index}.example/`,
      () => 'one',
    ),
  ).toEqual([6, 'scanned_often'])
  expect(await limited((index) => `https://h${index}.shop.example/`, other)).toEqual([12, 'scanned_often'])
  // One that runs, and twenty that wait; the limit by address comes at the thirty-first.
  expect(await limited((index) => `https://h${index}.example/`, other)).toEqual([21, 'scanned_often'])
})

test('behavior: the home page asks for a URL to scan', async () => {
  const { origin } = await open()
  const page = await (await fetch(origin, HTML)).text()
  expect(page).toContain('<form class="search large" action="/scans" method="post">')
})
