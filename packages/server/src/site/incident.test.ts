import { type Incident, PublishedObservationSchema } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { nameClient } from '../facts/clientIdentities.ts'
import { DAY, toDate, toTimestamp } from '../facts/times.ts'
import { systemClock } from '../lib/clock.ts'
import { readSides } from '../publish/sides.ts'
import { readIncidents } from '../store/feeds.ts'
import { readCited, readObservations } from '../store/observations.ts'
import { createSampleDeps } from './testing/createSampleDeps.ts'
import { HTML, openPages, samplesOf } from './testing/openPages.ts'
import { SAMPLE_NOW, sampleAddress } from './testing/sampleServices.ts'

const HOST = 'llm.quickinfer.net'
const ENDPOINT = `https://${HOST}/v1/chat`
const textOf = (html: string) => html.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')

async function open() {
  const deps = await createSampleDeps(samplesOf(HOST))
  const observations = await readObservations(deps.store, ENDPOINT)
  const { records } = await readIncidents(deps.store, { since: 0, limit: 9, endpoint: ENDPOINT })
  const ofHost = (await readIncidents(deps.store, { since: 0, limit: 9, host: HOST })).records
  const incident = records.find(({ kind }) => kind === 'receiver_hijack')
  if (incident === undefined) throw new Error('the sample has no incident')
  const origin = await openPages([], deps)
  const read = (path: string, headers = { Accept: 'application/json' }) => fetch(origin + path, { headers })
  const probeAt = (id: string) => read(`/observations/${id}?endpoint=${encodeURIComponent(ENDPOINT)}`)
  return { read, probeAt, observations, incident, ofHost }
}

test('default: a probe is published as the line of its day, with who asked, and without headers of the answer and addresses', async () => {
  const { read, probeAt, observations } = await open()
  const observation = observations.findLast(({ at }) => at <= SAMPLE_NOW - 2 * DAY)
  const answer = await probeAt(observation?.id ?? '')
  const { day, userAgent, ...line } = PublishedObservationSchema.parse(await answer.json())
  expect(answer.status).toBe(200)
  expect(userAgent).toBe(
    { 0: 'Touchstone/0.1 (+mailto:trust@touchstone.example)', 1: 'node', 2: 'python-httpx/0.28.1' }[
      observation?.client ?? ''
    ],
  )
  expect(line).toMatchObject({ id: observation?.id, endpoint: ENDPOINT, outcome: 'up', httpStatus: 402 })
  expect(line).toMatchObject({ at: toTimestamp(observation?.at ?? 0), client: observation?.client })
  expect(line.offers).toEqual([
    expect.objectContaining({ payTo: observation?.offers[0]?.payTo, amountAtomic: '30000' }),
  ])
  expect(JSON.stringify({ ...line, day })).not.toMatch(/header|address"/)
  const days = await read(new URL(day.url).pathname)
  expect((await days.text()).split('\n').map((text) => text && JSON.parse(text))).toContainEqual(line)
  expect(day).toMatchObject({ date: toDate(observation?.at ?? 0), leaf: null })
})

test('behavior: a probe that no finding cites is published 24 hours after it was made, to the millisecond', async () => {
  const deps = await createSampleDeps(samplesOf(HOST))
  for (const { id, at } of await readObservations(deps.store, ENDPOINT, { from: SAMPLE_NOW - DAY / 2 })) {
    const path = `/observations/${id}?endpoint=${encodeURIComponent(ENDPOINT)}`
    for (const [age, status] of [
      [DAY - 1, 404],
      [DAY, 200],
    ] as const) {
      const origin = await openPages([], { ...deps, clock: { ...systemClock, now: () => at + age } })
      const answer = await fetch(origin + path)
      expect(answer.status).toBe(status)
      if (status === 404) {
        const problem = await answer.json()
        expect(problem).toMatchObject({ code: 'not_published_yet' })
        expect(problem.detail).toMatch(
          /^Probes that no finding cites are published after 24 hours; this one from .* UTC on\.$/,
        )
      }
    }
    return
  }
  throw new Error('no young probe')
})

test('behavior: a probe that an incident cites is published at once', async () => {
  const deps = await createSampleDeps(samplesOf(HOST))
  const { records } = await readIncidents(deps.store, { since: 0, limit: 9, endpoint: ENDPOINT })
  const [id = ''] = records.find(({ kind }) => kind === 'receiver_hijack')?.observations ?? []
  const [observation] = await readCited(deps.store, ENDPOINT, [id])
  const origin = await openPages([], { ...deps, clock: { ...systemClock, now: () => observation?.at ?? 0 } })
  for (const query of ['', `?endpoint=${encodeURIComponent(ENDPOINT)}`])
    expect((await fetch(`${origin}/observations/${id}${query}`)).status).toBe(200)
})

test('behavior: the probes that an incident cites say at once what was answered, and the exact time and the client after 24 hours', async () => {
  const deps = await createSampleDeps(samplesOf(HOST))
  const { records } = await readIncidents(deps.store, { since: 0, limit: 9, endpoint: ENDPOINT })
  const incident = records.find(({ kind }) => kind === 'receiver_hijack')
  const cited = await readCited(deps.store, ENDPOINT, incident?.observations ?? [])
  const [first, last] = [cited[0]?.at ?? 0, cited.at(-1)?.at ?? 0]
  const exact = cited.map(({ at }) => toTimestamp(at))
  const minutes = exact.map((at) => at.slice(0, 16).replace('T', ' '))
  const clock = { ...systemClock, now: () => first }
  const origin = await openPages([], { ...deps, clock })
  const paths = [`/incidents/${incident?.id}`, ...cited.map(({ id }) => `/observations/${id}`)]
  const findings = `/findings?endpoint=${encodeURIComponent(ENDPOINT)}`
  for (const path of [...paths, findings]) {
    const json = await (await fetch(origin + path, { headers: { Accept: 'application/json' } })).json()
    // Sides and probes; when the incident was opened, and its receiver named, stays.
    const { detectedAt: _, receiver: __, history, ...shown } = json
    for (const at of exact) expect(JSON.stringify(shown), path).not.toContain(at)
    expect(JSON.stringify(shown), path).not.toMatch(/"client":"|"userAgent":"|"latencyMs":\d|"gapMs"/)
    expect(JSON.stringify(shown), path).toContain(sampleAddress(72))
    for (const { event, at } of history ?? []) if (event !== 'opened') expect(at).toMatch(/T00:00:00\.000Z$/)
  }
  for (const path of paths) {
    const text = textOf(await (await fetch(origin + path, HTML)).text())
    expect(text, path).not.toMatch(/python-httpx|Python's httpx got|by Python|Shown to Python/)
    for (const at of minutes.slice(0, -1)) expect(text, path).not.toContain(at)
  }
  const page = async (from: string) => textOf(await (await fetch(from + paths[0], HTML)).text())
  expect((await page(origin)).match(/client \d+, named after 24 hours/g)).toHaveLength(cited.length)
  clock.now = () => last + DAY
  const whole = await openPages([], { ...deps, clock })
  expect(await page(whole)).not.toContain('named after')
  for (const { client } of cited) expect(await page(whole)).toContain(`by ${nameClient(client)}, HTTP 402`)
  for (const path of paths.slice(1)) {
    const json = await (await fetch(whole + path, { headers: { Accept: 'application/json' } })).json()
    expect(exact).toContain(json.at)
    expect([typeof json.client, json.exactFrom]).toEqual(['string', undefined])
  }
})

test('behavior: the page of a probe links its day once that is published, and is found at its own address', async () => {
  const { read, observations } = await open()
  const show = async (id = '') => {
    const path = `/observations/${id}?endpoint=${encodeURIComponent(ENDPOINT)}`
    return (await read(path, HTML.headers)).text()
  }
  const today = Date.parse(toDate(SAMPLE_NOW))
  const old = await show(observations.findLast(({ at }) => at < today - DAY)?.id)
  expect(old).toContain('href="/log/days/')
  const young = await show(observations.find(({ at }) => at >= today - DAY && at <= SAMPLE_NOW - DAY)?.id)
  expect(young).not.toContain('/log/days/')
  expect(textOf(young)).toContain('published from 24 hours after the end of that day on')
  const [, canonical = ''] = /rel="canonical" href="([^"]+)"/.exec(young) ?? []
  const { pathname, search } = new URL(canonical.replaceAll('&amp;', '&'))
  expect((await read(pathname + search, HTML.headers)).status).toBe(200)
})

test('error: an unknown probe is 404 with the reason, a bad endpoint 400, and many calls 429', async () => {
  const { read, probeAt, observations, incident } = await open()
  const codeOf = async (answer: Response) => [answer.status, (await answer.json()).code]
  expect(await codeOf(await probeAt('obs_never'))).toEqual([404, 'unknown_observation'])
  expect(await codeOf(await probeAt('%00'))).toEqual([404, 'unknown_observation'])
  const uncited = observations.find(({ id }) => !incident.observations.includes(id))
  const nameless = await read(`/observations/${uncited?.id}`)
  expect(await nameless.clone().text()).toContain('Name its endpoint')
  expect(await codeOf(nameless)).toEqual([404, 'unknown_observation'])
  expect((await read(`/observations/${incident.observations[0]}`)).status).toBe(200)
  expect(await codeOf(await read('/observations/a?endpoint=gopher%3A%2F%2Fa'))).toEqual([400, 'bad_endpoint'])
  const statuses = await Promise.all(Array.from({ length: 60 }, () => probeAt('obs_never')))
  expect(statuses.map(({ status }) => status)).toContain(429)
})

test('default: an incident shows both receivers, the probes on both sides and its history', async () => {
  const { read, incident } = await open()
  const answer = await read(`/incidents/${incident.id}`)
  const body = await answer.json()
  expect(body).toMatchObject({
    id: incident.id,
    kind: 'receiver_hijack',
    // Ids, as in the list of incidents.
    observations: incident.observations,
    probes: incident.observations.map((id) => ({ id })),
    history: [{ event: 'seen' }, { event: 'confirmed' }, { event: 'opened' }],
  })
  const [before, now] = body.sides
  expect([before.title, now.title]).toEqual(['Before', 'Now'])
  expect(before.offers[0].payTo).toBe(sampleAddress(71))
  expect(now.offers[0].payTo).toBe(sampleAddress(72))
  for (const { probes } of body.sides) {
    expect(probes.length).toBeGreaterThan(0)
    for (const { url } of probes) expect((await read(url.replace(/^https:\/\/[^/]*/, ''))).status).toBe(200)
  }
  const html = await (await read(`/incidents/${incident.id}`, HTML.headers)).text()
  expect(html.match(/href="https:\/\/basescan\.org\/address\/0x[0-9a-fA-F]{40}"/g)?.length).toBeGreaterThan(2)
  expect(body.recipe.commands[0]).toMatch(new RegExp(`^curl -sig -m 30 -X POST .*${ENDPOINT} `))
  for (const text of ['What was measured', "POST by Python's httpx", 'curl -sig -m 30 -X POST'])
    expect(textOf(html)).toContain(text)
  expect(html.length).toBeLessThan(60_000)
  expect((await read('/incidents/inc_never')).status).toBe(404)
})

test('behavior: pages, lists and feeds link to the incident and to published probes', async () => {
  const { read, incident, ofHost } = await open()
  for (const path of [`/services/${HOST}`, '/feed'])
    expect(await (await read(path, HTML.headers)).text(), path).toContain(`href="/incidents/${incident.id}"`)
  // Incidents of one event at several endpoints are one row there.
  const home = await (await read('/', HTML.headers)).text()
  const linked = [...home.matchAll(/href="\/incidents\/([^"]+)"/g)].map(([, id]) => id)
  expect(linked).toHaveLength(1)
  expect(ofHost.map(({ id }) => id)).toContain(linked[0])
  expect(await (await read('/incidents.rss')).text()).toContain(`/incidents/${incident.id}</link>`)
  const profile = await (await read(`/services/${HOST}`, HTML.headers)).text()
  const links = [...profile.matchAll(/href="(\/observations\/[^"]+)"/g)].map(([, path = '']) => path)
  expect(links.length).toBeGreaterThan(0)
  for (const path of new Set(links)) expect((await read(path, HTML.headers)).status, path).toBe(200)
  expect(textOf(profile)).toMatch(/You should see payTo 0x\w+…\w+; until 2026-11-15 it was 0x\w+…\w+\./)
})

test('behavior: terms that differ by client stand next to each other, with who was shown them', async () => {
  const { store } = await createSampleDeps(samplesOf(HOST))
  const [one] = await readObservations(store, ENDPOINT, { newest: 1 })
  if (one === undefined) throw new Error('no probe')
  const shown = (id: string, client: string, payTo: string) => ({
    ...one,
    id,
    client,
    offers: one.offers.map((offer) => ({ ...offer, payTo })),
  })
  const [a, b] = [sampleAddress(1), sampleAddress(2)]
  const cloaked = [shown('1', 'x', a), shown('2', 'y', b), shown('3', 'x', a), shown('4', 'z', a)]
  const sides = await readSides((...of) => readObservations(store, ...of), cloaked)
  expect(
    sides.map(({ clients, offers, observations: seen }) => [clients, offers[0]?.payTo, seen.length]),
  ).toEqual([
    [['x', 'z'], a, 3],
    [['y'], b, 1],
  ])
  expect(await readSides((...of) => readObservations(store, ...of), [])).toEqual([])
})

test('behavior: a purchase that a finding cites shows amount, transaction, status, time and a quoted excerpt, others do not', async () => {
  const deps = await createSampleDeps(samplesOf(HOST))
  const txHash = `0x${'cd'.repeat(32)}`
  const excerpt = '</q><script>alert(1)</script> **Touchstone** says: safe'
  const paid = { network: 'eip155:8453', payTo: sampleAddress(1), amountAtomic: '30000', txHash }
  const bought = { kind: 'purchase', at: SAMPLE_NOW - DAY, endpoint: ENDPOINT, host: HOST, ...paid } as const
  const times = { askedAt: bought.at - 2000, answeredAt: bought.at - 1000 }
  const failed = {
    ...bought,
    ...times,
    id: 'buy_1',
    settled: true,
    delivered: false,
    httpStatus: 502,
    excerpt,
  }
  const secret = {
    ...bought,
    id: 'buy_2',
    settled: true,
    delivered: true,
    httpStatus: 200,
    excerpt: 'unseen',
  }
  const proof = { chain: 'eip155:8453', txHash, blockNumber: null, explorerUrl: 'https://basescan.org/tx/0x' }
  const incident: Incident = {
    id: 'inc_h',
    kind: 'honeypot',
    severity: 'critical',
    status: 'open',
    host: HOST,
    endpoint: ENDPOINT,
    summary: '2 test purchases settled without a delivery.',
    observations: ['buy_1'],
    detectedAt: toTimestamp(SAMPLE_NOW),
    resolvedAt: null,
    proofUrl: proof.explorerUrl,
    proof,
  }
  await deps.store.write('append', [
    failed,
    secret,
    { kind: 'incident', id: incident.id, at: SAMPLE_NOW, incident },
  ])
  const origin = await openPages([], deps)
  const json = await (await fetch(`${origin}/incidents/inc_h.json`)).json()
  expect(json.purchases).toEqual([
    {
      id: 'buy_1',
      at: toTimestamp(failed.at),
      ...paid,
      settled: true,
      delivered: false,
      askedAt: toTimestamp(failed.at - 2000),
      answeredAt: toTimestamp(failed.at - 1000),
      httpStatus: 502,
      excerpt,
    },
  ])
  const page = await (await fetch(`${origin}/incidents/inc_h`, HTML)).text()
  const shown = textOf(page)
  for (const text of ['$0.03 in USDC to', txHash, 'HTTP 502', 'The answer began with', 'touchstone pay'])
    expect(shown).toContain(text)
  expect(page).toContain('&lt;script>alert(1)&lt;/script>')
  expect(page).not.toMatch(/<script>alert|unseen|buy_2/)
  // On its own incident alone.
  for (const path of [`/services/${HOST}`, '/', `/services/${HOST}/feed.rss`])
    expect(await (await fetch(origin + path, HTML)).text()).not.toContain('alert(1)')
})
