import { encodeBase64Json, ScanSchema } from '@touchstone402/shared'
import { expect, onTestFinished, test } from 'vitest'
import { answer, challengeFor, type Handler, pay, startSeller } from '../audit/testing/startSeller.ts'
import { type ChecksReach, createChecks } from '../checks/createChecks.ts'
import { aConfig } from '../config/testing.ts'
import { DAY, MINUTE } from '../facts/times.ts'
import { RANDOM_IDS } from '../lib/ids.ts'
import { claimToken } from '../owners/hostClaim.ts'
import { claimHost } from '../owners/hostClaims.ts'
import { createUnpaidCaller } from '../probe/createUnpaidCaller.ts'
import { cleanUpAfterEach, lookup } from '../probe/testing/harness.ts'
import { createReadModel } from '../readModel/createReadModel.ts'
import { readState } from '../store/endpoints.ts'
import { readHostFacts } from '../store/facts.ts'
import { readSummary } from '../store/hosts.ts'
import { readObservations } from '../store/observations.ts'
import { HTML, openPages, type PageChanges } from './testing/openPages.ts'

cleanUpAfterEach()

/** Starts a seller, and the service with real checks of it. */
async function open(change: Partial<ChecksReach> = {}, pages: PageChanges = {}) {
  const shop = await startSeller()
  const { store, clock } = shop
  const warnings: string[] = []
  const caller = createUnpaidCaller({
    contact: 'https://touchstone.test',
    lookup,
    allowPrivate: [`127.0.0.1:${shop.port}`],
    ca: [],
  })
  let later = 0
  const ctx = {
    store,
    clock: { ...clock, now: () => shop.now() + later },
    ids: RANDOM_IDS,
    log: (_level: string, line: string) => void warnings.push(line),
  }
  const checks = createChecks(ctx, {
    auditor: shop.auditor,
    caller,
    readDeclared: shop.readDeclared,
    async probeFirst(_, endpoints) {
      for (const endpoint of endpoints) void shop.auditor.probe(endpoint)
    },
    ...change,
  })
  const readModel = await createReadModel(store)
  onTestFinished(async () => {
    await checks.close()
    await caller.close()
    await readModel.close()
  })
  const origin = await openPages([], { checks, store, readModel, clock, ...pages })
  const post = (fields: Record<string, string>, init: RequestInit = {}) =>
    fetch(`${origin}/scans`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
      ...init,
    })
  const start = async (fields: Record<string, string>) =>
    origin + (await post(fields)).headers.get('location')
  const json = async (path: string) => (await fetch(path, { headers: { Accept: 'application/json' } })).json()
  const html = async (path: string) => (await fetch(path, HTML)).text()
  const finish = async (path: string) => {
    await expect.poll(async () => (await json(path)).state).toMatch(/done|failed/)
    const check = await json(path)
    expect(ScanSchema.parse(check)).toEqual(check)
    return check
  }
  const advance = (ms: number) => {
    later += ms
  }
  return { ...shop, origin, post, start, json, html, finish, advance, warnings }
}

type Found = { id: string; outcome: string; severity: string; title: string; detail: string; change?: object }
const find = (check: { result: { checks: Found[] } }, id: string) =>
  check.result.checks.find((finding) => finding.id === id)
const failedOf = (check: { result: { checks: Found[] } }) =>
  check.result.checks.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)

const STOP = '/STOP-this-seller-stole-my-USDC'
/** Everything that shows endpoints to others. */
const SURFACES = ['/', '/feed', '/incidents.rss', '/changes.rss', '/sitemap.xml', '/incidents', '/changes']

const SECRET = 'a'.repeat(43)
/** Starts a seller whose host is claimed with the secret. */
async function openOwned() {
  const opened = await open()
  const { host, store, clock } = opened
  const config = aConfig({ publicUrl: 'https://touchstone.example' })
  const texts = [claimToken(config.publicUrl, host, SECRET)]
  const published = async () => ({ ok: true, texts }) as const
  const reader = { file: published, txt: published }
  await claimHost({ store, clock, config }, reader, { host, method: 'file', secret: SECRET })
  return opened
}

/** A check that goes on until the end, so that the others wait. */
const HOLDING: ChecksReach['auditor'] = {
  probeLive: (_, signal) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
}

const badOffer: Handler = (request, response) => {
  const { accepts, ...rest } = challengeFor(request)
  const offers = accepts.map((offer) => ({ ...offer, payTo: offer.asset, maxTimeoutSeconds: 86_400 }))
  response.setHeader('payment-required', encodeBase64Json({ ...rest, accepts: offers }))
  response.writeHead(402).end('{"error":"<b>pay</b>"}')
}

test('default: a form leads to a page that follows the check and shows its terms and the raw challenge first', async () => {
  const { endpoint, seller, post, origin, finish, warnings } = await open()
  const held: (() => void)[] = []
  let isHeld = true
  seller.quote = async (request, response) => {
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve))
    response.setHeader('X-Powered-By', 'Express')
    return pay(request, response)
  }
  const posted = await post({ url: `${endpoint}?hush=1` }, HTML)
  const place = posted.headers.get('location') ?? ''
  expect([posted.status, place]).toEqual([303, expect.stringMatching(/^\/scans\/[\w-]{22}$/)])
  await expect.poll(() => held.length).toBeGreaterThan(0)
  const running = await fetch(origin + place, HTML)
  expect(running.headers.get('refresh')).toBe('2')
  expect(running.headers.get('cache-control')).toContain('max-age=0')
  expect(running.headers.get('x-robots-tag')).toBe('noindex')
  isHeld = false
  for (const resume of held) resume()
  const check = await finish(origin + place)
  expect(check).toMatchObject({
    endpoint,
    state: 'done',
    failure: null,
    published: false,
    publication: 'not_asked',
    terms: [{ network: 'eip155:8453', scheme: 'exact', x402Version: 2, method: 'GET', priceUsd: 0.01 }],
    challenge: { method: 'GET', body: '{}', isCut: false, header: expect.stringContaining('"accepts": [') },
  })
  const done = await fetch(origin + place, HTML)
  const page = await done.text()
  expect(done.headers.get('refresh')).toBeNull()
  expect(page).toContain('name="robots" content="noindex"')
  const places = ['id="host"', 'id="terms"', 'The challenge as received', 'id="fix"', '<summary>Passed<']
  const found = places.map((text) => page.indexOf(text))
  expect(found).not.toContain(-1)
  expect(found).toEqual(found.toSorted((a, b) => a - b))
  expect(page).toContain('Recipe for Express, @x402/express')
  expect(page).toContain(`npx @touchstone402/guard scan ${endpoint}`)
  expect(page + JSON.stringify(check)).not.toContain('hush')
  expect(warnings).toEqual([])
})

test('behavior: says which value to change, the most serious first, and nothing that flatters', async () => {
  const { endpoint, seller, start, finish, html } = await open()
  seller.quote = badOffer
  const url = await start({ url: endpoint })
  const check = await finish(url)
  const [{ asset }] = check.terms
  expect(failedOf(check)).toEqual(expect.arrayContaining(['receiver_unverified', 'timeout_strange']))
  expect(find(check, 'receiver_unverified')?.change).toEqual({
    where: 'header: accepts[0].payTo',
    read: asset,
    want: 'an address whose key you hold',
  })
  expect(find(check, 'timeout_strange')?.change).toMatchObject({ read: '86400', want: '60' })
  const ranks = check.result.checks
    .filter(({ outcome }: Found) => outcome === 'fail')
    .map(({ severity }: Found) => ['critical', 'warn', 'info'].indexOf(severity))
  expect(ranks).toEqual(ranks.toSorted())
  const page = await html(url)
  expect(page).toContain('header: accepts[0].payTo')
  expect(page).toContain('&lt;b>pay&lt;/b>')
  expect(page).not.toMatch(/\d+ of \d+ checks|class="score"|<b>pay/)
})

test('behavior: what was not tested is no pass', async () => {
  const { endpoint, start, finish, html } = await open()
  const url = await start({ url: endpoint })
  const check = await finish(url)
  expect(find(check, 'no_delivery')).toMatchObject({
    outcome: 'unknown',
    detail: 'not tested: no test purchase was made yet',
  })
  expect(find(check, 'receiver_sanctioned')).toMatchObject({
    detail: 'not tested: the sanctions oracle gave no answer',
  })
  expect(find(check, 'payto_changed')).toMatchObject({ detail: 'not tested: this is its first probe' })
  expect(find(check, 'cloaked')).toMatchObject({ outcome: 'pass' })
  const page = await html(url)
  expect(page).toMatch(/<summary>Not tested: \d+, because this is its first probe<\/summary>/)
  expect(page).toMatch(/<summary>Not tested: 2, because no test purchase was made yet<\/summary>/)
  expect(page).toContain('Paid, not delivered?')
})

test('behavior: "Re-check now" compares with the check before', async () => {
  const { endpoint, seller, start, finish, html } = await open()
  seller.quote = badOffer
  const first = await start({ url: endpoint })
  await finish(first)
  const [, id = ''] = /name="previous" value="([\w-]+)"/.exec(await html(first)) ?? []
  expect(first).toContain(id)
  seller.quote = pay
  const second = await start({ url: endpoint, previous: id })
  expect(await finish(second)).toMatchObject({ previous: id })
  const page = await html(second)
  expect(page).toMatch(/The receiver cannot be paid.{0,20}: fixed/s)
  expect(page).toMatch(/plain http.{0,20}: still fails/s)
  // A check of another endpoint is none to compare with.
  const other = await start({ url: `${endpoint}/other`, previous: id })
  expect(await finish(other)).toMatchObject({ previous: null })
})

test('behavior: an unlisted endpoint leaves no trace, asked for payment or not', async () => {
  const { endpoint, host, seller, store, origin, start, finish, html } = await open()
  for (const quote of [pay, answer(404)]) {
    seller.quote = quote
    await finish(await start({ url: endpoint }))
    expect(await readState(store, endpoint)).toBeUndefined()
    expect(await readObservations(store, endpoint)).toEqual([])
    expect((await readHostFacts(store, host)).control).toBeUndefined()
    expect((await fetch(`${origin}/services/${host}`, HTML)).status).toBe(404)
    for (const path of SURFACES) expect(await html(origin + path)).not.toContain(host)
  }
})

test('behavior: with publish=1 an endpoint joins the index once its host names it', async () => {
  const { endpoint, host, seller, store, origin, start, finish, html } = await open()
  const url = await start({ url: endpoint, publish: '1' })
  expect(await finish(url)).toMatchObject({ published: false, publication: 'not_named' })
  expect(await html(url)).toMatch(
    /Name it in \/\.well-known\/x402 .* or claim the host[\s\S]*name="publish" value="1"[\s\S]*name="secret"/,
  )
  expect(await readState(store, endpoint)).toBeUndefined()

  seller.wellKnown = JSON.stringify({ x402Version: 1, resources: [endpoint] })
  seller.quote = answer(500)
  const failed = await finish(await start({ url: endpoint, publish: '1' }))
  expect(failed).toMatchObject({ published: false, publication: 'no_terms' })
  seller.quote = pay
  const published = await finish(await start({ url: endpoint, publish: '1' }))
  expect(published).toMatchObject({ published: true, publication: 'published' })
  expect((await readState(store, endpoint))?.state).toMatchObject({ status: 'live', listedBy: ['host'] })
  expect(await html(`${origin}/services/${host}`)).toContain('/quote')
  const known = await finish(await start({ url: endpoint }))
  expect(known).toMatchObject({ published: true, publication: 'listed' })
  // One more observation of a known endpoint.
  for (const { purpose } of await readObservations(store, endpoint))
    expect(['live', 'control']).toContain(purpose)
})

test('rule 10: what a stranger types at a seller that answers 402 anywhere stands on no page of others', async () => {
  const { endpoint, host, seller, store, origin, auditor, start, finish, probe } = await open()
  seller.elsewhere = pay
  const listed = `${new URL(endpoint).origin}/quote`
  const template = `${new URL(endpoint).origin}/weather/:city`
  seller.wellKnown = JSON.stringify({ x402Version: 1, resources: [listed, template] })
  expect(await finish(await start({ url: listed, publish: '1' }))).toMatchObject({ published: true })
  await probe(MINUTE)
  const typed = [STOP, `/weather${STOP}`, `/quote${STOP}`].map((path) => new URL(path, endpoint).href)
  for (const url of typed) {
    const check = await finish(await start({ url, publish: '1' }))
    expect(check).toMatchObject({ published: false, publication: 'not_named' })
    // A paid check.
    await auditor.probeLive(url)
  }
  // At a seller that distinguishes paths a paid check is recorded, and shown to clients that ask for this path.
  seller.elsewhere = (request, response) =>
    (request.url?.includes('STOP') === true ? pay : answer(404))(request, response)
  for (const url of typed) await auditor.probeLive(url)
  expect((await readState(store, typed[0] ?? ''))?.state.listedBy).toEqual([])
  expect((await readSummary(store, host))?.endpoints.map((row) => row.endpoint)).toEqual([listed])
  for (const path of [...SURFACES, `/services/${host}`, `/badge/${host}.svg`, `/services/${host}/feed.rss`]) {
    for (const headers of [HTML.headers, { Accept: 'application/json' }])
      expect(await (await fetch(origin + path, { headers })).text()).not.toContain('STOP')
  }
})

test('behavior: the holder of a host claim publishes an endpoint that no document names', async () => {
  const { endpoint, post, start, finish } = await openOwned()
  const refused = await post({ url: endpoint, publish: '1', secret: 'b' })
  expect([refused.status, (await refused.json()).errors[0].code]).toEqual([400, 'not_held'])
  const shown = await (await post({ url: endpoint, publish: '1', secret: 'b' }, HTML)).text()
  expect(shown).toMatch(
    /name="publish" value="1".*name="secret"[^>]*aria-invalid="true".*role="alert"[^>]*>[^<]*no claim of this host/s,
  )
  const check = await finish(await start({ url: endpoint, publish: '1', secret: SECRET }))
  expect(check).toMatchObject({ published: true, publication: 'published' })
})

test('behavior: the name of a host checks its listed endpoints, on one page', async () => {
  const { endpoint, host, seller, store, post, start, html, finish } = await openOwned()
  seller.wellKnown = JSON.stringify({ x402Version: 1, resources: [endpoint] })
  expect((await post({ host })).status).toBe(404)
  await finish(await start({ url: endpoint, publish: '1' }))
  const before = (await readObservations(store, endpoint)).length
  for (const fields of [{ host }, { url: `http://${host}` }]) {
    const url = await start(fields)
    const check = await finish(url)
    expect(check).toMatchObject({
      host,
      endpoint: null,
      endpoints: [{ endpoint, isChecked: true, status: 'live' }],
    })
    expect(await html(url)).toContain('1 of 1 endpoint probed')
  }
  expect((await readObservations(store, endpoint)).length).toBeGreaterThan(before)
  const third = await post({ host: endpoint })
  const fourth = await post({ host }, HTML)
  expect([third.status, fourth.status, fourth.headers.get('retry-after')]).toEqual([
    303,
    429,
    expect.any(String),
  ])
  // Strangers cannot lock out the owner.
  expect((await post({ host, secret: SECRET })).status).toBe(303)
})

test('behavior: an endpoint that asks for no payment, one that declines, and one that is not public', async () => {
  const { endpoint, seller, origin, start, finish, html } = await open()
  seller.quote = answer(200)
  const free = await start({ url: endpoint })
  const check = await finish(free)
  expect(check).toMatchObject({ state: 'done', terms: [], challenge: null, result: { verdict: 'unknown' } })
  expect(find(check, 'no_challenge')).toMatchObject({ outcome: 'fail', change: { read: '200', want: '402' } })
  const untested = check.result.checks.filter(({ outcome }: Found) => outcome === 'unknown')
  expect(await html(free)).toContain(
    `<summary>Not tested: ${untested.length}, because no terms were read</summary>`,
  )
  const url = await start({ url: 'http://10.0.0.1/quote' })
  expect(await finish(url)).toMatchObject({ state: 'failed', failure: 'not_public', result: null })
  expect(await html(url)).toContain('The host has no public address')
  expect((await fetch(`${origin}/scans/none`)).status).toBe(404)
  const typo = await start({ url: 'api.exmaple.com/a' })
  expect(await finish(typo)).toMatchObject({ failure: 'dns_failed' })
  expect(await html(typo)).toMatch(/<input id="check-url"[^>]*value="https:\/\/api.exmaple.com\/a"/)

  const other = await open()
  other.seller.wellKnown = JSON.stringify({ probes: false })
  expect(await other.finish(await other.start({ url: other.endpoint }))).toMatchObject({
    failure: 'opted_out',
  })
  expect(other.seller.asked).toEqual([])
})

test('behavior: a fault of ours is said to be one', async () => {
  const probeLive = () => Promise.reject(new Error('the store failed'))
  const { start, finish, html, warnings } = await open({ auditor: { probeLive } })
  const url = await start({ url: 'https://a.example/' })
  expect(await finish(url)).toMatchObject({ failure: 'own_fault', publication: null })
  expect(await html(url)).toContain('because of a fault on our side')
  expect(warnings).toEqual(['check failed: the store failed'])
})

test('behavior: a browser gets the form again with what it typed, however long', async () => {
  const { post, origin } = await open()
  const read = async (url: string) => {
    const answered = await post({ url }, HTML)
    expect([answered.status, answered.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    return answered.text()
  }
  expect(await read(' ')).toMatch(
    /<p class="fault" id="check-url-fault" role="alert">Enter the URL or host\.</,
  )
  expect(await read('hello')).toMatch(/<input id="check-url"[^>]*value="hello"[^>]*aria-invalid="true"/)
  const long = `https://api.example.com/${'a'.repeat(9000)}`
  const kept = await read(long)
  expect(kept).toContain(`value="${long}"`)
  expect(kept).toContain('expected at most')
  expect(kept).not.toContain('maxlength')
  const hostile = await read('ftp://x/"><b>')
  expect(hostile).toContain('role="alert">expected the scheme http or https')
  expect(hostile).not.toContain('<b>')
  const receiver = `0x${'aB'.repeat(20)}`
  const found = await post({ url: receiver }, HTML)
  expect([found.status, found.headers.get('location')]).toEqual([303, `/?q=${receiver}`])
  const get = await fetch(`${origin}/scans`, { redirect: 'manual' })
  expect([get.status, get.headers.get('location')]).toEqual([301, '/'])
})

test('behavior: a name without a dot is checked where the operator lets it be reached', async () => {
  const urls = ['hello', 'http://hello:4021/a', 'https://localhost/', 'http://[::1]/a', 'http://10.1/a']
  const statuses = async (developmentAllowHosts: string[] = []) => {
    const { post } = await open({}, { config: { developmentAllowHosts } })
    const all: number[] = []
    for (const url of urls) all.push((await post({ url })).status)
    return all
  }
  expect(await statuses()).toEqual([400, 400, 400, 303, 303])
  expect(await statuses(['127.0.0.1:4020'])).toEqual([400, 400, 303, 303, 303])
  expect(await statuses(['hello:4021'])).toEqual([400, 303, 303, 303, 303])
})

test('behavior: a check that waits is never lost, and one of another process after all that could be before it', async () => {
  const { store, now, origin, start, json, advance } = await open({ auditor: HOLDING })
  await start({ url: 'https://a.example/' })
  const waiting = await start({ url: 'https://b.example/' })
  const data = {
    id: 'lost',
    endpoint: 'https://c.example/',
    state: 'queued',
    askedAt: now(),
    finishedAt: null,
  }
  const record = { kind: 'scan', id: 'lost', expiresAt: now() + DAY }
  await store.write('putDocument', { ...record, data: { ...data, result: null, failure: null } }, now())
  const failures = async () => [(await json(waiting)).failure, (await json(`${origin}/scans/lost`)).failure]
  advance(41 * MINUTE)
  expect(await failures()).toEqual([null, null])
  advance(2 * MINUTE)
  expect(await failures()).toEqual([null, 'interrupted'])
})

test('behavior: takes JSON, and keeps a check for 90 days', async () => {
  const { endpoint, post, origin, advance } = await open()
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' }
  const posted = await post({}, { headers, body: JSON.stringify({ url: endpoint }) })
  const queued = await posted.json()
  expect([posted.status, queued]).toMatchObject([303, { endpoint, state: 'queued', published: false }])
  expect(ScanSchema.parse(queued)).toEqual(queued)
  const place = origin + posted.headers.get('location')
  advance(90 * DAY - 1)
  expect((await fetch(place)).status).toBe(200)
  advance(1)
  expect((await fetch(place)).status).toBe(404)
})

test('behavior: shows a check that an earlier version stored', async () => {
  const { store, now, origin, html, finish } = await open()
  const endpoint = 'https://api.example.com/a'
  const finding = {
    id: 'no_challenge',
    outcome: 'fail',
    severity: 'critical',
    title: 'No challenge',
    detail: '',
  }
  const result = {
    verdict: 'unknown',
    score: null,
    band: null,
    riskLevel: 'unknown',
    overruledBy: [],
    scoreVersion: '1.0.0',
    method: null,
    stack: 'unknown',
    checks: [{ ...finding, evidence: [] }],
  }
  const data = {
    id: 'old',
    endpoint,
    state: 'done',
    askedAt: now(),
    finishedAt: now(),
    result,
    failure: null,
  }
  await store.write('putDocument', { kind: 'scan', id: 'old', expiresAt: now() + DAY, data }, now())
  expect(await finish(`${origin}/scans/old`)).toMatchObject({
    host: 'api.example.com',
    publication: null,
    previous: null,
    result: { terms: [], sells: null, challenge: null },
  })
  expect(await html(`${origin}/scans/old`)).toContain('No challenge')
})

test('error: refuses what is no URL of an endpoint, and bodies of other kinds', async () => {
  const { post } = await open()
  const codeOf = async (answered: Response) => {
    const { code, errors } = await answered.json()
    return [answered.status, code, errors?.[0]?.code]
  }
  expect(await codeOf(await post({ url: '' }))).toEqual([400, 'bad_url', 'missing'])
  expect(await codeOf(await post({ url: 'hello' }))).toEqual([400, 'bad_url', 'bad_host'])
  expect(await codeOf(await post({ url: 'ftp://x' }))).toEqual([400, 'bad_url', 'scheme_not_http'])
  expect(await codeOf(await post({ url: 'https://a.example/{city}' }))).toEqual([400, 'bad_url', 'template'])
  const json = { 'Content-Type': 'application/json' }
  const list = await post({}, { headers: json, body: '{"url":["x"]}' })
  expect(await codeOf(list)).toEqual([400, 'invalid_fields', 'malformed'])
})

test('error: over a limit the form keeps the URL and names the local command; programs get both too', async () => {
  const url = 'https://api.shop.example/a;b'
  const command = "npx @touchstone402/guard scan 'https://api.shop.example/a;b'"
  const limited = await open({ auditor: HOLDING })
  for (let count = 0; count < 6; count++) expect((await limited.post({ url })).status).toBe(303)
  const page = await limited.post({ url }, HTML)
  expect([page.status, Number(page.headers.get('retry-after')) > 0]).toEqual([429, true])
  const text = await page.text()
  expect(text).toContain(`value="${url}"`)
  expect(text.replaceAll('&#39;', "'")).toContain(command)
  const problem = await (await limited.post({ url })).json()
  expect(problem).toMatchObject({ code: 'scanned_often', detail: expect.stringContaining(command) })
})

test('error: limits checks by domain and by address, and the queue', async () => {
  const { store, clock, readDeclared } = await startSeller()
  const ctx = { store, clock, ids: RANDOM_IDS, log: () => {} }
  const limited = async (url: (index: number) => string) => {
    const checks = createChecks(ctx, {
      auditor: HOLDING,
      caller: { ask: () => Promise.reject(new Error('not asked')), resolve: async () => ['198.51.100.7'] },
      readDeclared,
      probeFirst: async () => {},
    })
    const codes: string[] = []
    for (let index = 0; index < 40; index++) {
      const started = checks.start({
        host: new URL(url(index)).host,
        endpoint: url(index),
        client: `client ${index}`,
      })
      codes.push(
        await started.then(
          () => 'ok',
          (error) => error.refusal.code,
        ),
      )
    }
    return [codes.filter((code) => code === 'ok').length, codes[25], codes.at(-1)]
  }
  expect(await limited((index) => `https://h${index}.shop.example/`)).toEqual([
    12,
    'scanned_often',
    'scanned_often',
  ])
  // One that runs, and twenty that wait; the limit by address comes at the thirty-first.
  expect(await limited((index) => `https://h${index}.example/`)).toEqual([21, 'queue_full', 'scanned_often'])
})
