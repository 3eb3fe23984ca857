import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { StoreOpenError } from '../../domain/facts/storeError.ts'
import { DAY } from '../../domain/facts/times.ts'
import type { Store } from '../../ports/oldStore.ts'
import { copyToPostgres } from './copyToPostgres.ts'
import { createLowdbStore } from './lowdb/createLowdbStore.ts'
import { createPostgresStore } from './postgres/createPostgresStore.ts'
import {
  aListing,
  anIncident,
  anObservation,
  aReceiver,
  aReport,
  aWantedClaim,
  documentOf,
  NOON,
} from './testing/records.ts'
import { useScratchFolder } from './testing/scratch.ts'
import { usePostgres } from './testing/usePostgres.ts'

const scratch = useScratchFolder()
const target = usePostgres()

const openFolder = () => createLowdbStore({ directory: scratch(), retentionDays: 30, now: () => NOON })

async function fill(): Promise<void> {
  const store = await openFolder()
  for (let look = 0; look < 120; look++) {
    await store.append([anObservation({ id: `o${look}`, at: NOON + look * (DAY / 2) })])
  }
  await store.compact()
  const incident = anIncident()
  await store.append([
    aListing(),
    aReceiver(),
    { kind: 'report', id: 'p', at: NOON, report: aReport() },
    { kind: 'incident', id: 'f1', at: NOON, incident },
    { kind: 'incident', id: 'f2', at: NOON, incident: { ...incident, status: 'resolved' } },
  ])
  for (const version of [1, 2]) await store.putHost(documentOf('api.example', NOON + version))
  const answer = { status: 200, headers: {}, body: 'paid' }
  for (const nonce of ['0x01', '0x02']) await store.claims.claim(aWantedClaim({ nonce }))
  await store.claims.advance(aWantedClaim({ nonce: '0x01' }), 'settling', { at: NOON, answer })
  await store.claims.advance(aWantedClaim({ nonce: '0x01' }), 'settled', { at: NOON, txHash: '0xabc' })
  await store.close()
}

async function contents(store: Store): Promise<unknown> {
  const key = { nonce: '0x01' }
  return {
    facts: await store.hostFacts('api.example'),
    receivers: await store.receivers(),
    reports: await store.reports(),
    document: await store.getHost('api.example'),
    settled: await store.claims.get(aWantedClaim(key)),
    unsettled: await store.claims.unsettled(),
    again: (await store.claims.claim(aWantedClaim(key))).won,
  }
}

test('default: copies all records of a folder and counts them', async () => {
  await fill()
  const options = target()
  const copied = await copyToPostgres(scratch(), options)
  const [folder, database] = [await openFolder(), await createPostgresStore({ ...options, now: () => NOON })]
  const { observations, daily } = await folder.hostFacts('api.example')
  expect(await contents(database)).toEqual(await contents(folder))
  expect(copied).toEqual({
    facts: observations.length + 3,
    changesAndIncidents: 1,
    days: daily.length,
    documents: 1,
    claims: 2,
    unreadableBytes: 0,
  })
  expect(daily.length).toBeGreaterThan(20)
  await Promise.all([folder.close(), database.close()])
})

test('error: refuses a folder without a log', async () => {
  await expect(copyToPostgres(scratch(), target())).rejects.toThrow('holds no log')
})

test('error: refuses a folder in use and a database with records', async () => {
  await fill()
  const options = target()
  const folder = await openFolder()
  await expect(copyToPostgres(scratch(), options)).rejects.toThrow('is in use by process')
  await folder.close()
  await copyToPostgres(scratch(), options)
  await expect(copyToPostgres(scratch(), options)).rejects.toThrow(StoreOpenError)
  await expect(copyToPostgres(scratch(), options)).rejects.toThrow('records already')
})

test('behavior: counts unreadable bytes, copies the rest, and does not change the folder', async () => {
  await fill()
  const [name = ''] = await readdir(join(scratch(), 'log'))
  const path = join(scratch(), 'log', name)
  const torn = Buffer.concat([await readFile(path), Buffer.from('{"v":1,"seq":')])
  await writeFile(path, torn)
  const copied = await copyToPostgres(scratch(), target())
  expect(copied).toMatchObject({ claims: 2, unreadableBytes: 13 })
  expect(await readFile(path)).toEqual(torn)
})
