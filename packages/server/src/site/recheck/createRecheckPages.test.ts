import { expect, test } from 'vitest'
import { createSampleDeps } from '../testing/createSampleDeps.ts'
import { HTML, openPages, samplesOf } from '../testing/openPages.ts'
import { SAMPLE_NOW } from '../testing/sampleServices.ts'

const HOST = 'api.skycast.dev'
const PATH = `/services/${HOST}/recheck`

async function open() {
  const asked: string[] = []
  const recheck = (host: string) => void asked.push(host)
  const origin = await openPages([...samplesOf(HOST), ...samplesOf('llm.quickinfer.net')], { recheck })
  const ask = (host: string, headers: Record<string, string> = {}) =>
    fetch(`${origin}/rechecks`, {
      method: 'POST',
      body: new URLSearchParams({ host }),
      headers,
      redirect: 'manual',
    })
  return { asked, origin, ask }
}

test('default', async () => {
  const { asked, ask } = await open()
  const answer = await ask(HOST)
  expect(answer.status).toBe(202)
  expect(answer.headers.get('cache-control')).toContain('max-age=0')
  expect(await answer.json()).toMatchObject({
    host: HOST,
    profile: expect.stringContaining(`/services/${HOST}`),
    progress: `https://touchstone.example/rechecks?host=${HOST}&since=${SAMPLE_NOW}`,
  })
  expect(asked).toEqual([HOST])
})

test('behavior: a profile offers the re-check, and a GET shows the button only', async () => {
  const { asked, origin } = await open()
  const form = '<form class="form" action="/rechecks" method="post"><input type="hidden" name="host"'
  for (const path of [`/services/${HOST}`, PATH, '/services/llm.quickinfer.net']) {
    expect(await (await fetch(origin + path, HTML)).text()).toContain(form)
  }
  expect(await (await fetch(origin + PATH)).json()).toMatchObject({ host: HOST, method: 'POST' })
  expect(asked).toEqual([])
  const without = await openPages(samplesOf(HOST))
  expect(await (await fetch(`${without}/services/${HOST}`, HTML)).text()).not.toContain('/rechecks')
  expect((await fetch(without + PATH)).status).toBe(404)
})

test('behavior: a browser sees the progress until every endpoint was probed', async () => {
  const { origin, ask } = await open()
  const answer = await ask(HOST, HTML.headers)
  expect(answer.status).toBe(303)
  const progress = answer.headers.get('location') ?? ''
  expect(progress).toBe(`/rechecks?host=${HOST}&since=${SAMPLE_NOW}`)
  const waiting = await fetch(origin + progress, HTML)
  const page = await waiting.text()
  expect(page).toMatch(/0 of \d+ endpoints? probed/)
  expect(waiting.headers.get('refresh')).toBe('3')

  // The sample was probed within the last hour.
  const done = await fetch(`${origin}/rechecks?host=${HOST}&since=${SAMPLE_NOW - 3_600_000}`, HTML)
  const result = await done.text()
  expect(result).toMatch(/\d+ endpoints? probed again/)
  expect(done.headers.get('refresh')).toBeNull()
  const json = await fetch(`${origin}/rechecks?host=${HOST}&since=${SAMPLE_NOW - 3_600_000}`)
  const { isDone, endpoints } = await json.json()
  expect([isDone, endpoints[0]]).toMatchObject([true, { isChecked: true, verdict: 'safe' }])
})

test('behavior: a page stops to load again after ten minutes', async () => {
  const deps = await createSampleDeps(samplesOf(HOST))
  const since = SAMPLE_NOW + 1
  const at = (now: number) =>
    openPages(samplesOf(HOST), { store: deps.store, clock: { now: () => now }, recheck: () => {} })
  const path = `/rechecks?host=${HOST}&since=${since}`
  expect((await fetch((await at(since + 590_000)) + path, HTML)).headers.get('refresh')).toBe('3')
  const late = await fetch((await at(since + 610_000)) + path, HTML)
  const text = await late.text()
  expect(text).toContain('still in the queue')
  expect(late.headers.get('refresh')).toBeNull()
})

test('error: refuses a second re-check of a host within an hour', async () => {
  const { asked, ask } = await open()
  await ask(HOST)
  const again = await ask(HOST)
  expect([again.status, (await again.json()).code]).toEqual([429, 'rechecked_lately'])
  expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(3500)
  expect((await ask('llm.quickinfer.net')).status).toBe(202)
  expect(asked).toEqual([HOST, 'llm.quickinfer.net'])
})

test('error: answers 404 for an unknown host, names wrong fields, and limits attempts per client', async () => {
  const { asked, origin, ask } = await open()
  for (const query of ['', `?host=${HOST}`, `?host=${HOST}&since=soon`]) {
    expect([query, (await fetch(`${origin}/rechecks${query}`)).status]).toEqual([query, 400])
  }
  const statuses: number[] = []
  for (const host of ['', 'a.example', 'not a host', 'x/../y', 'b.example', 'c.example']) {
    statuses.push((await ask(host)).status)
  }
  expect(statuses).toEqual([400, 404, 404, 404, 404, 429])
  expect(asked).toEqual([])
})
