import { expect, test } from 'vitest'
import type { Observation } from '../../../domain/facts/facts.ts'
import type { Carried, HostDocument } from '../../../domain/facts/hostDocument.ts'
import { DAY, HOUR, toDate } from '../../../domain/facts/times.ts'
import { aState } from '../testing/documents.ts'
import {
  aListing,
  anAnnouncement,
  anIncident,
  anObservation,
  aPurchase,
  aReceiver,
  aReport,
  NOON,
} from '../testing/records.ts'
import { usePostgres } from '../testing/usePostgres.ts'
import { listOf } from '../testing/useStore.ts'
import { createPostgresStore } from './createPostgresStore.ts'
import { type Database, openDatabase } from './database.ts'
import { openPostgresStore } from './openPostgresStore.ts'

const emptyDatabase = usePostgres()
const A = 'https://api.example/a'
const B = 'https://api.example/b'
const LOST = 'https://lost.example/'
const END = NOON + 60 * DAY

/** Stands in for the carried state: counts looks and ends a day with each look of another. */
function carry(before: Carried | undefined, looks: readonly Observation[]) {
  const days: string[] = []
  let { scoreVersion, lastAt } = before ?? { scoreVersion: '0', lastAt: 0 }
  for (const { at } of looks) {
    if (lastAt > 0 && toDate(lastAt) !== toDate(at)) days.push(toDate(lastAt))
    scoreVersion = `${Number(scoreVersion) + 1}`
    lastAt = at
  }
  const counts = { up: 77, down: 0, notMeasured: 0, latencyMsP50: null, latencyMsP90: null }
  const endpoint = looks[0]?.endpoint ?? ''
  return {
    carried: { scoreVersion, lastAt },
    days: days.map((date) => ({ endpoint, host: 'api.example', date, ...counts })),
  }
}

/** Writes what an earlier version would have written in 60 days, of which it keeps 30, and returns its looks at A. */
async function fill(options: { url: string; schema: string }): Promise<Observation[]> {
  const old = await createPostgresStore({ ...options, retentionDays: 30 })
  const looks = Array.from({ length: 60 * 48 + 1 }, (_, index) =>
    anObservation({ id: `o${index}`, endpoint: A, at: NOON + index * (HOUR / 2), latencyMs: index % 90 }),
  )
  const incident = anIncident({ observations: ['o7', 'o2000'] })
  await old.append([
    ...looks,
    anObservation({ id: 'b1', endpoint: B, at: END - 1 }),
    anObservation({ id: 'lost', endpoint: LOST, host: 'lost.example', at: END }),
    anObservation({ id: 'c', purpose: 'control', endpoint: `${A}-random`, at: END }),
    aListing({ title: 'nul \u0000 \ud800' }),
    aListing({ id: 'l2', endpoint: 'https://listed.example/', host: 'listed.example', at: NOON + 5 }),
    anAnnouncement(),
    aPurchase(),
    aReceiver(),
    { kind: 'report', id: 'p', at: NOON, report: aReport() },
    { kind: 'incident', id: 'f1', at: NOON, incident },
    { kind: 'incident', id: 'f2', at: NOON, incident: { ...incident, id: 'i2', status: 'resolved' } },
  ])
  await old.compact()
  await old.putHost(documentOf(END))
  await old.close()
  return looks
}

function documentOf(at: number): HostDocument {
  const endpoints = [A, B].map((endpoint) => aState({ endpoint, derivedAt: at }))
  return { host: 'api.example', endpoints, updatedAt: at }
}

async function withDatabase<T>(
  options: { url: string; schema: string },
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = openDatabase(options)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

test('default: moves all records of an earlier version', { timeout: 60_000 }, async () => {
  const options = emptyDatabase()
  const looks = await fill(options)
  const progress: number[] = []
  const settings = { ...options, retentionDays: 30, now: () => END, carry }
  const store = await openPostgresStore({ ...settings, onProgress: ({ moved }) => progress.push(moved) })
  const from = Math.floor(END / DAY - 30) * DAY
  const kept = looks.filter(({ at }) => at >= from)

  expect(await listOf(store.looks(A))).toEqual(kept)
  expect((await listOf(store.looks(LOST))).map(({ id }) => id)).toEqual(['lost'])
  const cited = await store.cited(A, ['o7', 'o8', 'o2000'])
  expect(cited).toEqual(looks.filter(({ id }) => id === 'o7' || id === 'o2000'))
  // Of the looks before the retention the earlier version kept the first, the last and those that incidents cite.
  const base = await store.base(A)
  expect(base?.lastAt).toBeLessThan(from)
  const document = await store.endpoint(A)
  expect(document?.state).toEqual(documentOf(END).endpoints[0])
  expect(Number(document?.carried.scoreVersion)).toBe(Number(base?.scoreVersion) + kept.length)
  expect(document?.carried.lastAt).toBe(looks.at(-1)?.at)
  expect(await store.base(B)).toBeUndefined()
  expect((await store.endpoint(B))?.carried).toEqual({ scoreVersion: '1', lastAt: END - 1 })
  expect(await store.host('api.example')).toEqual(documentOf(END))
  const days = await store.days(A)
  expect(days.map(({ date }) => date)).toEqual(
    Array.from({ length: 60 }, (_, day) => toDate(NOON + day * DAY)),
  )
  expect(days.filter(({ up }) => up === 77)).toHaveLength(30)
  expect(days[1]).toMatchObject({ up: 48, host: 'api.example' })

  expect((await store.endpointFacts(A)).listings).toEqual([aListing({ title: 'nul \u0000 \ud800' })])
  expect(await store.purchases('api.example')).toEqual([aPurchase()])
  const { announcements, control } = await store.hostFacts('api.example')
  expect(announcements).toEqual([anAnnouncement()])
  expect(control?.id).toBe('c')
  expect(await store.receiver(aReceiver().network, aReceiver().address)).toEqual([aReceiver()])
  expect(await store.countReceivers()).toBe(1)
  expect(await store.reports()).toEqual([aReport()])
  expect((await store.incidents({ since: 0, limit: 9, open: true })).records.map(({ id }) => id)).toEqual([
    'i1',
  ])
  expect(await store.counts('status/', END)).toEqual(new Map([['status/live', 2]]))
  expect(await store.nextDue('looks')).toBe(NOON + 5)
  expect(await store.countDue('looks', END + HOUR)).toBe(3)
  expect(await store.nextDue('documents')).toBe(END)
  expect(progress.at(-1)).toBeGreaterThan(1_450)
  expect(progress).toEqual([...progress].sort((a, b) => a - b))
  await store.close()

  const again = await openPostgresStore(settings)
  expect(again.migrated).toEqual([])
  expect(await listOf(again.looks(A))).toEqual(kept)
  await again.close()
  const tables = await withDatabase(options, (database) =>
    database.query(`SELECT tablename FROM pg_tables WHERE schemaname = $1 AND tablename ~ '^(old_|moving)'`, [
      options.schema,
    ]),
  )
  expect(tables).toEqual([])
})

test('behavior: an interrupted move goes on where it stopped', { timeout: 60_000 }, async () => {
  const options = emptyDatabase()
  const looks = await fill(options)
  const settings = { ...options, retentionDays: 30, now: () => END, carry }
  let moves = 0
  const stop = () => {
    moves += 1
    throw new Error('interrupted')
  }
  const opened = () => openPostgresStore({ ...settings, onProgress: stop })
  while (moves < 6) await expect(opened()).rejects.toThrow('interrupted')
  const stores = await Promise.all([openPostgresStore(settings), openPostgresStore(settings)])
  const from = Math.floor(END / DAY - 30) * DAY
  expect(await listOf(stores[0].looks(A))).toEqual(looks.filter(({ at }) => at >= from))
  expect(await stores[1].count('status/live')).toBe(2)
  expect((await stores[1].endpointFacts(A)).listings).toHaveLength(1)
  await Promise.all(stores.map((store) => store.close()))
})
