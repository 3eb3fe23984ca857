import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OPERATIONS } from '@touchstone402/shared'
import { beforeEach, expect, test } from 'vitest'
import { aConfig } from '../../config/testing.ts'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { DAY, toTimestamp } from '../../facts/times.ts'
import { systemClock } from '../../lib/clock.ts'
import { describeReported } from '../../publish/accuracy/reported.ts'
import { createReadModel } from '../../readModel/createReadModel.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { aChange, aReport, documentOf, NOON } from '../../store/testing/records.ts'
import { createAnswers } from './createAnswers.ts'
import { createSnapshots } from './createSnapshots.ts'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-answers-'))
  return () => rm(directory, { recursive: true })
})

const refuse = async () => {
  throw new Error('not asked')
}
const ENDPOINT = 'https://a.example/a'

async function setUp() {
  const store = createMemoryStore()
  const readModel = await createReadModel(store, { now: () => NOON })
  const snapshots = await createSnapshots({ directory, isShared: false })
  const answers = createAnswers(
    { store, clock: { ...systemClock, now: () => NOON }, config: aConfig() },
    {
      readModel,
      auditor: { probeLive: refuse },
      signer: { sign: async ({ endpoint, seq }) => `${endpoint} ${seq}` },
      snapshots,
      tokens: { pulse: refuse, whales: refuse, flow: refuse, momentum: refuse },
      readMs: 500,
    },
  )
  const put = async (changes: Partial<EndpointState> = {}) => {
    for (const state of documentOf('a.example', NOON).endpoints)
      await store.write('putEndpoint', { ...state, ...changes })
  }
  return { store, answers, snapshots, put }
}

test('default: an answer of /verify is current until its endpoint changes', async () => {
  const { answers, put } = await setUp()
  await put({ score: 90 })
  const first = await answers.verify({ endpoint: ENDPOINT })
  expect(first.body).toMatchObject({ known: true, match: 'exact', score: 90 })
  expect((await answers.verify({ endpoint: ENDPOINT })).body).toEqual(first.body)
  await put({ endpoint: 'https://a.example/b' })
  expect(first.isCurrent?.()).toBe(true)
  await put({ score: 80 })
  expect(first.isCurrent?.()).toBe(false)
  expect((await answers.verify({ endpoint: ENDPOINT })).body).toMatchObject({ score: 80 })
})

test('behavior: an answer of a feed is current until a change or an incident is written', async () => {
  const { store, answers, put } = await setUp()
  const read = () => answers.changes({ days: 7, limit: 10 })
  const first = await read()
  await put({ score: 80 })
  expect(first.isCurrent?.()).toBe(true)
  const [state] = documentOf('a.example', NOON).endpoints
  if (state === undefined) throw new Error('the host has an endpoint')
  await store.write('putEndpoint', state, {
    facts: [{ kind: 'change', id: 'f', at: NOON, change: aChange() }],
    days: [],
  })
  expect(first.isCurrent?.()).toBe(false)
  expect((await read()).body.total).toBe(1)
})

test('behavior: an unknown endpoint is looked for again once its host changes', async () => {
  const { answers, put } = await setUp()
  const unknown = await answers.verify({ endpoint: 'https://a.example/b' })
  expect([unknown.body.known, unknown.isCurrent?.()]).toEqual([false, true])
  await put({ endpoint: 'https://a.example/b' })
  expect(unknown.isCurrent?.()).toBe(false)
  expect((await answers.verify({ endpoint: 'https://a.example/b' })).body.known).toBe(true)
})

test('behavior: an answer whose endpoint changed while it was read is not current', async () => {
  const { answers, put } = await setUp()
  await put({ score: 90 })
  const early = answers.verify({ endpoint: ENDPOINT })
  await put({ score: 80 })
  expect((await early).isCurrent?.()).toBe(false)
})

test('default: /status.json matches the contract and follows changes', async () => {
  const { answers, put } = await setUp()
  await put()
  const { body } = await answers.status({})
  expect(OPERATIONS.status.response[0].parse(body)).toMatchObject({
    ecosystem: { tracked: 1, live: 1 },
    topProviders: [{ host: 'a.example', live: 1, trustScore: 91 }],
    dataset: { liveServices: 1 },
  })
  await put({ endpoint: 'https://a.example/b' })
  await expect.poll(async () => (await answers.status({})).body.ecosystem.tracked).toBe(2)
})

test('default: a client that follows nextCursor reads each change once, while new ones arrive', async () => {
  const { answers, store } = await setUp()
  const add = (id: string, at: number) =>
    store.write('append', [
      { kind: 'change', id: `f-${id}`, at, change: aChange({ id, at: toTimestamp(at) }) },
    ])
  for (const index of [0, 1, 2, 3, 4]) await add(`c${index}`, NOON - 10 + Math.floor(index / 2))
  const query = { days: 7, since: toTimestamp(NOON - 3 * DAY + 1), limit: 2 }
  const read: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { body } = await answers.changes({ ...query, ...(cursor && { cursor }) })
    expect(OPERATIONS.changes.response[0].parse(body)).toMatchObject({ days: 3, since: query.since })
    expect(body.truncated).toBe(body.nextCursor !== null)
    read.push(...body.changes.map(({ id }) => id))
    cursor = body.nextCursor
    await add(`new${read.length}`, NOON)
  }
  expect(read).toEqual(['c4', 'c3', 'c2', 'c1', 'c0'])
  const late = await answers.changes({ ...query, since: toTimestamp(NOON + DAY) })
  expect(late.body).toMatchObject({ days: 0, count: 0, total: 0, nextCursor: null })
})

test('behavior: the series of reports begins with the day that was asked for', async () => {
  const { answers, store } = await setUp()
  for (const [index, date] of ['2026-01-29', '2026-01-30', '2026-01-31'].entries())
    await store.write('append', [{ kind: 'report', id: date, at: NOON + index, report: aReport({ date }) }])
  const datesSince = async (since?: string) =>
    (await answers.reports(since === undefined ? {} : { since })).body.series.map(({ date }) => date)
  expect(await datesSince()).toEqual(['2026-01-29', '2026-01-30', '2026-01-31'])
  expect(await datesSince('2026-01-30T12:00:00.000Z')).toEqual(['2026-01-30', '2026-01-31'])
  expect(await datesSince('2027-01-01T00:00:00.000Z')).toEqual([])
})

test('behavior: how verdicts held stands in /trust-score.json and /status.json; the counts of each day on request', async () => {
  const { answers, store } = await setUp()
  expect((await answers.trustScore({})).body.accuracy).toBeUndefined()
  const figures = describeReported([])
  const accuracy = { outcomes: [{ afterDays: 1 as const, date: '2026-05-30', groups: [] }], deliveries: [] }
  const made = aReport({ date: '2026-06-01', asOf: toTimestamp(NOON), accuracy, accuracyFigures: figures })
  await store.write('append', [{ kind: 'report', id: 'r', at: NOON, report: made }])
  // Of a clock that was ahead.
  const later = aReport({ date: '2026-06-03', asOf: toTimestamp(NOON + 2 * DAY), accuracyFigures: [] })
  await store.write('append', [{ kind: 'report', id: 'later', at: NOON + 2 * DAY, report: later }])
  const spec = OPERATIONS.trustScore.response[0].parse((await answers.trustScore({})).body)
  expect(spec.accuracy).toEqual(figures)
  expect(OPERATIONS.status.response[0].parse((await answers.status({})).body).accuracy).toEqual(figures)
  const since = toTimestamp(NOON - DAY)
  const asked = OPERATIONS.reports.response[0].parse((await answers.reports({ since })).body)
  expect(asked.series.map((day) => day.accuracy)).toEqual([accuracy, undefined])
  expect((await answers.reports({})).body.series.map((day) => day.accuracy)).toEqual([undefined, undefined])
})

test('default: /trust without an endpoint is a snapshot of the catalog', async () => {
  const { answers, snapshots, put } = await setUp()
  await put()
  const signal = new AbortController().signal
  const answer = await answers.trust({}, { signal, payer: '0x' })
  if (!('kind' in answer)) throw new Error('the catalog is a snapshot')
  const parts: Uint8Array[] = []
  for await (const chunk of (await snapshots.open(answer.id))?.chunks ?? []) parts.push(Buffer.from(chunk))
  const catalog = OPERATIONS.trust.response[1].parse(JSON.parse(Buffer.concat(parts).toString()))
  expect(catalog).toMatchObject({
    services: [{ host: 'a.example', verdict: 'safe' }],
    riskMap: { byVerdict: { safe: 1 } },
  })
})
