import { type Incident, networkAddressKey } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { foldDays } from '../../../domain/facts/dailyMeasurements.ts'
import type { Fact, Observation } from '../../../domain/facts/facts.ts'
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
import { type Database, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'
import { openPostgresStore } from './openPostgresStore.ts'

const emptyDatabase = usePostgres()
const A = 'https://api.example/a'
const B = 'https://api.example/b'
const LOST = 'https://lost.example/'
const END = NOON + 60 * DAY
/** End of the retention of 30 days. */
const FROM = Math.floor(END / DAY - 30) * DAY

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
  const looks = Array.from({ length: 60 * 48 + 1 }, (_, index) =>
    anObservation({ id: `o${index}`, endpoint: A, at: NOON + index * (HOUR / 2), latencyMs: index % 90 }),
  )
  const incident = anIncident({ observations: ['o7', 'o2000'] })
  const receiver = aReceiver()
  const report = aReport()
  const old = looks.filter(({ at }) => at < FROM)
  await withDatabase(options, async (database) => {
    await migrate(database, MIGRATIONS.slice(0, 3))
    await insertFacts(database, 'api.example', [
      ...looks.filter(({ at }) => at >= FROM),
      anObservation({ id: 'b1', endpoint: B, at: END - 1 }),
      anObservation({ id: 'c', purpose: 'control', endpoint: `${A}-random`, at: END }),
      aListing({ title: 'nul \u0000 \ud800' }),
      anAnnouncement(),
      aPurchase(),
    ])
    await insertFacts(database, 'lost.example', [
      anObservation({ id: 'lost', endpoint: LOST, host: 'lost.example', at: END }),
    ])
    await insertFacts(database, 'listed.example', [
      aListing({ id: 'l2', endpoint: 'https://listed.example/', host: 'listed.example', at: NOON + 5 }),
    ])
    await insertFacts(database, networkAddressKey(receiver.network, receiver.address), [receiver])
    await insertFacts(database, report.date, [{ kind: 'report', id: 'p', at: NOON, report }])
    await insertIncidents(database, [incident, { ...incident, id: 'i2', status: 'resolved' }])
    // Past the retention it kept days, and of the looks the first, the last and those that incidents cite.
    const kept = old.filter(({ id }, index) => index === 0 || index === old.length - 1 || id === 'o7')
    await insertFacts(database, 'api.example', kept, true)
    await insertDays(database, old)
    await database.query('INSERT INTO document (host, updated_at, data) VALUES ($1, $2, $3)', [
      'api.example',
      END,
      JSON.stringify(documentOf(END)),
    ])
  })
  return looks
}

async function insertFacts(database: Database, subject: string, facts: readonly Fact[], kept = false) {
  await database.query(
    `INSERT INTO fact (kind, subject, at, kept, data)
     SELECT kind, $1, at, $2, data FROM unnest($3::text[], $4::bigint[], $5::text[])
       WITH ORDINALITY AS row (kind, at, data, place) ORDER BY place`,
    [
      subject,
      kept,
      facts.map(({ kind }) => kind),
      facts.map(({ at }) => at),
      facts.map((fact) => JSON.stringify(fact)),
    ],
  )
}

async function insertIncidents(database: Database, incidents: readonly Incident[]) {
  for (const incident of incidents) {
    const { id, host, endpoint, detectedAt } = incident
    await database.query(
      `INSERT INTO published (kind, id, host, endpoint, at, data) VALUES ('incident', $1, $2, $3, $4, $5)`,
      [id, host, endpoint, Date.parse(detectedAt), JSON.stringify(incident)],
    )
  }
}

async function insertDays(database: Database, looks: readonly Observation[]) {
  for (const day of foldDays(looks)) {
    await database.query('INSERT INTO daily (host, date, endpoint, data) VALUES ($1, $2, $3, $4)', [
      day.host,
      day.date,
      day.endpoint,
      JSON.stringify(day),
    ])
  }
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
  const kept = looks.filter(({ at }) => at >= FROM)

  expect(await listOf(store.looks(A))).toEqual(kept)
  expect((await listOf(store.looks(LOST))).map(({ id }) => id)).toEqual(['lost'])
  const cited = await store.cited(A, ['o7', 'o8', 'o2000'])
  expect(cited).toEqual(looks.filter(({ id }) => id === 'o7' || id === 'o2000'))
  // Of the looks before the retention the earlier version kept the first, the last and those that incidents cite.
  const base = await store.base(A)
  expect(base?.lastAt).toBeLessThan(FROM)
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
  expect(await listOf(stores[0].looks(A))).toEqual(looks.filter(({ at }) => at >= FROM))
  expect(await stores[1].count('status/live')).toBe(2)
  expect((await stores[1].endpointFacts(A)).listings).toHaveLength(1)
  await Promise.all(stores.map((store) => store.close()))
})
