import { createHash } from 'node:crypto'
import { readLeaf } from '@touchstone402/shared/log'
import { expect, test, vi } from 'vitest'
import { createMemoryStore } from '../adapters/store/memory/createMemoryStore.ts'
import { aDocument } from '../adapters/store/testing/documents.ts'
import { aListing, anObservation, aReceiver, NOON } from '../adapters/store/testing/records.ts'
import { DAY, HOUR } from '../domain/facts/times.ts'
import { createDayPage, createInputsPage } from '../site/log/dayPage.ts'
import { logDay, logDays } from './logDays.ts'

const endpoint = 'https://a.example/paid'
const salt = Buffer.alloc(16, 7).toString('base64')
const DATE = new Date(NOON).toISOString().slice(0, 10)
const never = new AbortController().signal

test('default: a day is logged once, and its published looks have the digest of its leaf', async () => {
  const store = createMemoryStore()
  const looks = [0, 1, 2].map((hours) =>
    anObservation({
      id: `obs_${hours}`,
      endpoint,
      host: 'a.example',
      at: NOON + hours * HOUR + 123,
      client: hours === 1 ? 'agent' : 'browser',
    }),
  )
  const late = anObservation({ id: 'obs_9', endpoint, host: 'a.example', at: NOON + DAY })
  await store.putEndpoint(aDocument({ endpoint, host: 'a.example' }), { facts: [...looks, late], days: [] })
  let now = NOON + DAY
  const clock = { now: () => now }
  for (const _ of [1, 2]) await logDay({ store, clock, newSalt: () => salt }, DATE, never)
  expect(await store.log.sequence(9)).toBe(2)
  const [entry, inputs] = await store.log.entries(0, 2)
  const leaf = readLeaf(Buffer.from(entry?.leaf ?? ''))
  expect(leaf).toMatchObject({ kind: 'day', form: 2, date: DATE, count: 3, control: null })
  expect(JSON.parse(inputs?.leaf ?? '')).toMatchObject({ kind: 'inputs', date: DATE, part: 0, parts: 1 })
  expect(JSON.parse(entry?.opening ?? '')).toEqual({ salt, host: 'a.example' })

  const page = createDayPage({ store, clock })
  const request = {
    params: { date: DATE, host: 'a.example' },
    search: '',
    accepts: 'json',
    client: '',
  } as const
  expect(await page.handler(request)).toMatchObject({ status: 404 })
  now = NOON + 2 * DAY
  const { body } = await page.handler(request)
  expect(createHash('sha256').update(body).digest('base64')).toBe(leaf.looks)
  const lines = `${body}`
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ id, client }) => [id, client])).toEqual([
    ['obs_0', 'A'],
    ['obs_1', 'B'],
    ['obs_2', 'A'],
  ])
  // Nothing by which a seller could find the probe among its requests.
  expect(lines[0]).not.toHaveProperty('latencyMs')
  expect(lines[0].hour).toMatch(/:00:00\.000Z$/)
})

/** Creates a store whose host was looked at, listed and read from chain on a day, and logs the day. */
async function logOneDay() {
  const store = createMemoryStore()
  const place = { endpoint, host: 'a.example' }
  const look = anObservation({ id: 'obs_0', ...place, at: NOON })
  const payTo = look.offers[0]?.payTo ?? ''
  const control = anObservation({ ...place, id: 'c1', at: NOON + 1, purpose: 'control', outcome: 'down' })
  await store.putEndpoint(aDocument({ ...place, category: 'weather', priceUsd: 0.01 }), {
    facts: [look, control],
    days: [],
  })
  await store.append([
    aListing({ ...place, id: 'l0', at: NOON - HOUR, url: `${endpoint}?secret=sample`, title: 'Old' }),
    aListing({ ...place, id: 'l1', at: NOON, url: `${endpoint}?secret=sample` }),
    aListing({ ...place, id: 'l2', at: NOON + DAY, directory: 'later' }),
    aReceiver({ id: 'r1', at: NOON, address: payTo }),
    aReceiver({ id: 'r2', at: NOON + DAY, address: payTo }),
  ])
  const clock = { now: () => NOON + 2 * DAY }
  await logDay({ store, clock: { now: () => NOON + DAY }, newSalt: () => salt }, DATE, never)
  await store.log.sequence(9)
  const [day, medians] = await store.log.entries(0, 2)
  return { store, clock, medians, day: readLeaf(Buffer.from(day?.leaf ?? '')) }
}

const firstLine = (body: string | Uint8Array) => `${body}`.split('\n')[0] ?? ''

const request = {
  params: { date: DATE, host: 'a.example' },
  search: '',
  accepts: 'json',
  client: '',
} as const

test('default: what judgements read beside the looks is published with the digest of the leaf', async () => {
  const { store, clock, medians, day } = await logOneDay()
  const { body } = await createInputsPage({ store, clock }).handler(request)
  expect(createHash('sha256').update(body).digest('base64')).toBe(day.inputs)
  const facts = `${body}`
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  // The newest listing of each directory, and nothing of later days.
  expect(facts.map(({ id }) => id)).toEqual(['l1', 'r1'])
  // The sample that a directory hands out would show which requests are probes.
  expect(`${body}`).not.toContain('secret')
  expect(day.control).toBe('down')
  expect(JSON.parse(medians?.opening ?? '').prices[0]).toMatchObject({ category: null, count: 1 })
})

test('behavior: a day that was logged in the first form is served in that form', async () => {
  const { store, clock } = await logOneDay()
  const other = createMemoryStore()
  await other.log.add([
    {
      leaf: '{"at":"2026-06-02T01:00:00.000Z","kind":"day"}',
      opening: null,
      key: `day ${DATE} a.example`,
    },
  ])
  await other.log.sequence(1)
  const old = await createDayPage({ store: { ...store, log: other.log }, clock }).handler(request)
  expect(JSON.parse(firstLine(old.body))).not.toHaveProperty('resourceOrigin')
  const now = await createDayPage({ store, clock }).handler(request)
  expect(JSON.parse(firstLine(now.body))).toHaveProperty('resourceOrigin')
})

test('behavior: days that an outage left out are logged once the service runs again', async () => {
  const store = createMemoryStore()
  const place = { endpoint, host: 'a.example' }
  await store.putEndpoint(aDocument(place), {
    facts: [0, 2].map((days) => anObservation({ ...place, id: `obs_${days}`, at: NOON + days * DAY })),
    days: [],
  })
  const stop = new AbortController()
  const clock = { now: () => NOON + 4 * DAY }
  const running = logDays(
    { store, clock, newSalt: () => salt },
    (error) => expect.unreachable(`${error}`),
    stop.signal,
  )
  await vi.waitUntil(async () => (await store.log.find(`inputs ${DATE.slice(0, 8)}04 0`)) !== undefined)
  stop.abort()
  await running
  const size = await store.log.sequence(99)
  const leaves = (await store.log.entries(0, size)).map(({ leaf }) => readLeaf(Buffer.from(leaf)))
  expect(leaves.filter(({ kind }) => kind === 'day').map(({ date }) => date)).toEqual([
    DATE,
    `${DATE.slice(0, 8)}03`,
  ])
})
