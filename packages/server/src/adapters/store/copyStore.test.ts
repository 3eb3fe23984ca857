import { writeLeaf } from '@touchstone402/shared/log'
import { expect, test } from 'vitest'
import { decisionKey } from '../../domain/facts/leaves.ts'
import { StoreOpenError } from '../../domain/facts/storeError.ts'
import { DAY } from '../../domain/facts/times.ts'
import type { Store } from '../../ports/store.ts'
import { copyStore } from './copyStore.ts'
import { createMemoryStore } from './memory/createMemoryStore.ts'
import { openPostgresStore } from './postgres/openPostgresStore.ts'
import { aDocument } from './testing/documents.ts'
import {
  aChange,
  aListing,
  anAnnouncement,
  anIncident,
  anObservation,
  aPurchase,
  aReceiver,
  aReport,
  aWantedClaim,
  NOON,
} from './testing/records.ts'
import { usePostgres } from './testing/usePostgres.ts'
import { listOf } from './testing/useStore.ts'

const target = usePostgres()
const ENDPOINT = 'https://api.example/a'
const OTHER = 'https://api.example/b'

async function fill(store: Store): Promise<void> {
  const looks = Array.from({ length: 1_500 }, (_, index) =>
    anObservation({ id: `o${index}`, at: NOON + index, latencyMs: index }),
  )
  await store.append([
    ...looks,
    anObservation({ id: 'c', purpose: 'control' }),
    aListing(),
    aListing({ id: 'l2', endpoint: 'https://unjudged.example/', host: 'unjudged.example' }),
    anAnnouncement(),
    aPurchase(),
    aReceiver(),
    { kind: 'report', id: 'p', at: NOON, report: aReport() },
    { kind: 'change', id: 'f0', at: NOON, change: aChange() },
    { kind: 'incident', id: 'f1', at: NOON, incident: anIncident() },
    { kind: 'incident', id: 'f2', at: NOON, incident: anIncident({ status: 'resolved' }) },
  ])
  const day = { endpoint: ENDPOINT, host: 'api.example', date: '2026-05-31', up: 1, down: 2, notMeasured: 3 }
  const days = [{ ...day, latencyMsP50: 1.5, latencyMsP90: null }]
  await store.putEndpoint(aDocument(), { facts: [], days })
  await store.putEndpoint(aDocument({ endpoint: OTHER, derivedAt: NOON + 1 }))
  const leaves = Array.from({ length: 300 }, (_, version) => ({
    ...writeLeaf({ kind: 'map', at: '2026-01-31T12:00:00.000Z', version }, null),
    key: version === 299 ? decisionKey(ENDPOINT) : `map ${version}`,
  }))
  await store.append([], leaves)
  await store.log.sequence(300)
  await store.log.putHead({ note: 'log.example', size: 300, at: NOON })
  await store.expiring.put({ kind: 'scan', id: 'a', expiresAt: NOON + DAY, data: [1] }, NOON)
  for (const nonce of ['0x01', '0x02']) await store.claims.claim(aWantedClaim({ nonce }))
  const answer = { status: 200, headers: {}, body: 'paid' }
  await store.claims.advance(aWantedClaim({ nonce: '0x01' }), 'settling', { at: NOON, answer })
}

async function contents(store: Store): Promise<unknown> {
  const controls = (id: string) => id !== 'c'
  return {
    looks: (await listOf(store.looks(ENDPOINT))).filter(({ id }) => controls(id)),
    facts: await store.endpointFacts(ENDPOINT),
    host: await store.host('api.example'),
    hostFacts: await store.hostFacts('api.example'),
    summary: await store.summary('api.example'),
    document: await store.endpoint(ENDPOINT),
    leaves: await store.log.entries(0, 300),
    tiles: (await store.log.tiles([0, 1].map((level) => ({ level, index: 0 })))).map((tile) =>
      tile?.toString(),
    ),
    head: await store.log.head(),
    expiring: await listOf(store.expiring.all()),
    days: await store.days(ENDPOINT),
    base: await store.base(ENDPOINT),
    receiver: await store.receiver(aReceiver().network, aReceiver().address),
    reports: await store.reports(),
    incidents: await store.incidents({ since: 0, limit: 9 }),
    totals: await store.counts('', NOON),
    ranks: await listOf(store.ranked('services', NOON)),
    due: await store.nextDue('looks'),
    allDue: await store.countDue('looks', NOON + DAY),
    claim: await store.claims.get(aWantedClaim({ nonce: '0x01' })),
    unsettled: (await store.claims.unsettled()).length,
  }
}

test('default: copies all records of a store and counts them', async () => {
  const from = createMemoryStore({ now: () => NOON })
  await fill(from)
  const base = { scoreVersion: '1.1.0', lastAt: NOON - DAY }
  const options = { ...target(), now: () => NOON }
  const source = { ...from, base: async (endpoint: string) => (endpoint === ENDPOINT ? base : undefined) }
  const copied = await copyStore(source, options)
  const database = await openPostgresStore(options)
  expect(await contents(database)).toEqual(await contents(source))
  expect(copied).toMatchObject({ days: 1, documents: 2, claims: 2 })
  expect(copied.facts).toBeGreaterThan(1_500)
  // And again, from one database to another.
  const next = { ...target(), now: () => NOON }
  await copyStore(database, next)
  const copy = await openPostgresStore(next)
  expect(await contents(copy)).toEqual(await contents(source))
  await Promise.all([database.close(), copy.close()])
})

test('error: refuses a database with records', async () => {
  const from = createMemoryStore()
  await fill(from)
  const options = target()
  await copyStore(from, options)
  await expect(copyStore(from, options)).rejects.toThrow(StoreOpenError)
  await expect(copyStore(from, options)).rejects.toThrow('records already')
})

test('behavior: a database cannot be opened until an interrupted copy was made again', async () => {
  const from = createMemoryStore({ now: () => NOON })
  await fill(from)
  const options = { ...target(), now: () => NOON }
  const failing = {
    ...from,
    endpoint: async () => {
      throw new Error('The source went away')
    },
  }
  await expect(copyStore(failing, options)).rejects.toThrow('went away')
  await expect(openPostgresStore(options)).rejects.toThrow('has not ended')
  await copyStore(from, options)
  const database = await openPostgresStore(options)
  expect(await contents(database)).toEqual(await contents(from))
  await database.close()
})
