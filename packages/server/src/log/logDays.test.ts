import { createHash } from 'node:crypto'
import { readLeaf } from '@touchstone402/shared/leaves'
import { expect, test, vi } from 'vitest'
import { DAY, HOUR } from '../facts/times.ts'
import { findLeaf, readLeaves } from '../store/log.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { aState } from '../store/testing/documents.ts'
import { aListing, anObservation, aReceiver, NOON } from '../store/testing/records.ts'
import { createLogRoutes } from './createLogRoutes.ts'
import { logDay, logDays } from './logDays.ts'

const endpoint = 'https://a.example/paid'
const salt = Buffer.alloc(16, 7).toString('base64')
const DATE = new Date(NOON).toISOString().slice(0, 10)
const never = new AbortController().signal

const routeOf = (path: string, deps: Parameters<typeof createLogRoutes>[0]) =>
  createLogRoutes(deps).find((route) => route.path.startsWith(path)) ?? expect.fail(path)

test('default: a day is logged once, and its published probes have the digest of its leaf', async () => {
  const store = createMemoryStore()
  const observations = [0, 1, 2].map((hours) =>
    anObservation({
      id: `obs_${hours}`,
      endpoint,
      host: 'a.example',
      at: NOON + hours * HOUR + 123,
      client: hours === 1 ? 'agent' : 'browser',
    }),
  )
  const late = anObservation({ id: 'obs_9', endpoint, host: 'a.example', at: NOON + DAY })
  await store.write('putEndpoint', aState({ endpoint, host: 'a.example' }), {
    facts: [...observations, late],
    days: [],
  })
  let now = NOON + DAY
  const clock = { now: () => now }
  for (const _ of [1, 2]) await logDay({ store, clock, newSalt: () => salt }, DATE, never)
  expect(await store.write('sequenceLeaves', 9)).toBe(2)
  const [entry, inputs] = await readLeaves(store, 0, 2)
  const leaf = readLeaf(Buffer.from(entry?.leaf ?? ''))
  expect(leaf).toMatchObject({ kind: 'day', date: DATE, count: 3, control: null })
  expect(JSON.parse(inputs?.leaf ?? '')).toMatchObject({ kind: 'inputs', date: DATE, part: 0, parts: 1 })
  expect(JSON.parse(entry?.opening ?? '')).toEqual({ salt, host: 'a.example' })

  const page = routeOf('/log/days/', { store, clock })
  const request = {
    params: { date: DATE, host: 'a.example' },
    search: '',
    accepts: 'json',
    client: '',
  } as const
  await expect(async () => page.handler(request)).rejects.toMatchObject({ refusal: { status: 404 } })
  now = NOON + 2 * DAY
  const { body } = await page.handler(request)
  expect(createHash('sha256').update(body).digest('base64')).toBe(leaf.looks)
  const lines = `${body}`
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ id, client }) => [id, client])).toEqual([
    ['obs_0', 'browser'],
    ['obs_1', 'agent'],
    ['obs_2', 'browser'],
  ])
  expect(lines[0].at).toBe(new Date(NOON + 123).toISOString())
})

/** Creates a store whose host was probed, listed and read from chain on a day, and logs the day. */
async function logOneDay() {
  const store = createMemoryStore()
  const place = { endpoint, host: 'a.example' }
  const observation = anObservation({ id: 'obs_0', ...place, at: NOON })
  const payTo = observation.offers[0]?.payTo ?? ''
  const control = anObservation({ ...place, id: 'c1', at: NOON + 1, purpose: 'control', outcome: 'down' })
  const firstSeen = NOON - 40 * DAY
  await store.write('putEndpoint', aState({ ...place, category: 'weather', priceUsd: 0.01, firstSeen }), {
    facts: [observation, control],
    days: [],
  })
  await store.write('append', [
    aListing({ ...place, id: 'l0', at: NOON - HOUR, url: `${endpoint}?secret=sample`, title: 'Old' }),
    aListing({ ...place, id: 'l1', at: NOON, url: `${endpoint}?secret=sample` }),
    aListing({ ...place, id: 'l2', at: NOON + DAY, directory: 'later' }),
    aReceiver({ id: 'r1', at: NOON, address: payTo }),
    aReceiver({ id: 'r2', at: NOON + DAY, address: payTo }),
  ])
  const clock = { now: () => NOON + 2 * DAY }
  await logDay({ store, clock: { now: () => NOON + DAY }, newSalt: () => salt }, DATE, never)
  await store.write('sequenceLeaves', 9)
  const [day, medians] = await readLeaves(store, 0, 2)
  return { store, clock, medians, day: readLeaf(Buffer.from(day?.leaf ?? '')) }
}

const request = {
  params: { date: DATE, host: 'a.example' },
  search: '',
  accepts: 'json',
  client: '',
} as const

test('default: what judgements read beside the probes is published with the digest of the leaf', async () => {
  const { store, clock, medians, day } = await logOneDay()
  const { body } = await routeOf('/log/inputs/', { store, clock }).handler(request)
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

test('behavior: a chain record is published that was replaced later on the same day', async () => {
  const store = createMemoryStore()
  const place = { endpoint, host: 'a.example' }
  const observations = [0, 3, 6].map((hours) =>
    anObservation({ ...place, id: `obs_${hours}`, at: NOON + hours * HOUR }),
  )
  const address = observations[0]?.offers[0]?.payTo ?? ''
  const records = [0, 1, 2].map((n) => aReceiver({ id: `r${n}`, at: NOON + 3 * n * HOUR + 1, address }))
  await store.write('putEndpoint', aState(place), { facts: [...observations, ...records], days: [] })
  const { body } = await routeOf('/log/inputs/', { store, clock: { now: () => NOON + 2 * DAY } }).handler(
    request,
  )
  const lines = `${body}`.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).id).sort()).toEqual(['r0', 'r1', 'r2'])
})

test('behavior: the chain records of a day are published from 24 hours after its end on, and not before', async () => {
  const store = createMemoryStore()
  const place = { endpoint, host: 'a.example' }
  const observation = anObservation({ ...place, id: 'obs_1', at: NOON })
  const address = observation.offers[0]?.payTo ?? ''
  const record = aReceiver({ id: 'r1', at: NOON + 1, address })
  await store.write('putEndpoint', aState(place), { facts: [observation, record], days: [] })
  const end = NOON + DAY / 2
  const read = (now: number) => routeOf('/log/inputs/', { store, clock: { now: () => now } }).handler(request)
  await expect(read(end + DAY - 1)).rejects.toThrow('it is too early')
  expect(`${(await read(end + DAY)).body}`).toContain('"receipts90d"')
})

test('behavior: days that an outage left out are logged once the service runs again', async () => {
  const store = createMemoryStore()
  const place = { endpoint, host: 'a.example' }
  await store.write('putEndpoint', aState(place), {
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
  await vi.waitUntil(async () => (await findLeaf(store, `inputs ${DATE.slice(0, 8)}04 0`)) !== undefined, {
    timeout: 60_000,
  })
  stop.abort()
  await running
  const size = await store.write('sequenceLeaves', 99)
  const leaves = (await readLeaves(store, 0, size)).map(({ leaf }) => readLeaf(Buffer.from(leaf)))
  expect(leaves.filter(({ kind }) => kind === 'day').map(({ date }) => date)).toEqual([
    DATE,
    `${DATE.slice(0, 8)}03`,
  ])
})
