import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { expect, test } from 'vitest'
import type { Observation } from '../../../domain/facts/facts.ts'
import { StoreOpenError, StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import { DAY, HOUR } from '../../../domain/facts/times.ts'
import { aCarried, aDocument } from '../testing/documents.ts'
import {
  aListing,
  anIncident,
  anObservation,
  aPurchase,
  aReceiver,
  aWantedClaim,
  NOON,
} from '../testing/records.ts'
import { useScratchFolder } from '../testing/scratch.ts'
import { listOf } from '../testing/useStore.ts'
import { createEmbeddedStore, type EmbeddedStoreOptions } from './createEmbeddedStore.ts'

const scratch = useScratchFolder()
const ENDPOINT = 'https://api.example/a'

const open = (options: Partial<EmbeddedStoreOptions> = {}) =>
  createEmbeddedStore({ directory: scratch(), now: () => NOON, ...options })

const carry = (_: unknown, looks: readonly Observation[]) => ({
  carried: aCarried({ lastAt: looks.at(-1)?.at ?? 0 }),
  days: [],
})

test('error: refuses a folder that is open, in one line, and leaves it usable', async () => {
  const store = await open()
  const second = open()
  await expect(second).rejects.toThrow(StoreOpenError)
  await expect(second).rejects.toThrow(
    `The data folder ${scratch()} is in use by another process; only one process can use a data folder, so stop the other first`,
  )
  await store.append([aListing()])
  await store.close()
  const again = await open()
  expect(await again.listings([ENDPOINT])).toEqual(new Map([[ENDPOINT, [aListing()]]]))
  await again.close()
})

test.each([
  [3, 'a newer version'],
  [1, 'a version before its release'],
])('error: refuses a folder of format %s, which %s wrote', async (format, version) => {
  const folder = join(scratch(), 'store')
  await mkdir(folder)
  const level = new ClassicLevel(folder)
  await level.put('f', `{"format":${format}}`)
  await level.close()
  await expect(open()).rejects.toThrow(
    `The data folder ${scratch()} was written by ${version} (format ${format}, this version reads 2)`,
  )
})

test('error: names a damaged folder and the way to restore it, and deletes nothing', async () => {
  const store = await open()
  await store.append([aListing()])
  await store.close()
  const folder = join(scratch(), 'store')
  const manifest = (await readdir(folder)).find((name) => name.startsWith('MANIFEST')) ?? ''
  await writeFile(join(folder, manifest), 'not a manifest')
  const before = await readdir(folder)
  const opened = open()
  await expect(opened).rejects.toThrow(StoreOpenError)
  await expect(opened).rejects.toThrow(
    /is damaged .*; put a back-up in its place with "touchstone-server restore"$/,
  )
  expect(await readdir(folder)).toEqual(
    expect.arrayContaining(before.filter((name) => !name.startsWith('LOG'))),
  )
})

test('behavior: sellers may use any text for hosts and endpoints', async () => {
  const store = await open()
  const keys = [
    'a',
    'a\0',
    'a\0b',
    'a\x01',
    'a\x011',
    '\ud800',
    '\ud801',
    '\ufffd',
    '\ud83d\ude00',
    'a\xff',
    '',
  ]
  const listings = keys.map((key) => aListing({ endpoint: key, host: key }))
  await store.append(listings)
  await store.append(keys.map((key) => anObservation({ endpoint: key, host: key, id: key })))
  await store.append(keys.map((key) => ({ ...aPurchase(), endpoint: key, host: key })))
  for (const [index, key] of keys.entries()) {
    expect((await store.endpointFacts(key)).listings).toEqual([listings[index]])
    expect((await listOf(store.looks(key))).map(({ id }) => id)).toEqual([key])
    expect((await store.purchases(key)).map(({ host }) => host)).toEqual([key])
  }
  expect(new Set(await store.claimDue('looks', NOON, NOON + HOUR, 99))).toEqual(new Set(keys))
  await store.close()
})

test('behavior: what a process took and did not look at is due when the folder is opened again', async () => {
  const store = await open()
  await store.append([aListing(), aListing({ endpoint: `${ENDPOINT}/looked-at` })])
  expect(await store.claimDue('looks', NOON, NOON + HOUR, 9)).toHaveLength(2)
  const looked = aDocument({ endpoint: `${ENDPOINT}/looked-at` })
  await store.putEndpoint(looked)
  expect(await store.claimDue('looks', NOON, NOON + HOUR, 9)).toEqual([])
  await store.close()
  const again = await open()
  expect(await again.claimDue('looks', NOON, NOON + HOUR, 9)).toEqual([ENDPOINT])
  expect(await again.claimDue('looks', looked.state.nextProbeAt, NOON + HOUR, 9)).toContain(
    looked.state.endpoint,
  )
  await again.close()
})

test('behavior: one call of parallel ones that fails does not take others with it', async () => {
  const store = await open()
  const bad = anObservation({ at: Number.NaN })
  const calls = [
    store.append([anObservation()]),
    store.append([aListing(), bad]),
    store.append([aReceiver()]),
  ]
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(await store.listings([ENDPOINT])).toEqual(new Map())
  expect(await listOf(store.looks(ENDPOINT))).toEqual([anObservation()])
  await store.close()
})

test('behavior: parallel calls at many hosts lose no addition to totals', async () => {
  const store = await open()
  await Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      store.putEndpoint(aDocument({ endpoint: `https://h${index % 70}.example/${index}` })),
    ),
  )
  expect(await store.count('status/live')).toBe(300)
  expect(await store.count('hosts/all')).toBe(70)
  const counts = await store.counts('', NOON + 3 * DAY)
  expect([counts.get('status/unmeasured'), counts.get('status/live')]).toEqual([300, undefined])
  await store.close()
})

test('behavior: keeps a look in less than 45 bytes, and a judgement reads few rows', async () => {
  const store = await open({ carry })
  const random = () => `obs_${Buffer.from(crypto.getRandomValues(new Uint8Array(9))).toString('base64url')}`
  const looks = Array.from({ length: 40_000 }, (_, index) =>
    anObservation({
      id: random(),
      at: NOON + index * 1000 + (index % 7),
      latencyMs: 30 + ((index * 7919) % 500),
      client: index % 2 === 0 ? 'crawler' : 'wallet',
    }),
  )
  await store.putEndpoint(aDocument(), { facts: [aListing(), aReceiver(), ...looks], days: [] })
  await store.close()
  const again = await open({ carry })
  const before = again.stats().rowsRead
  await again.endpoint(ENDPOINT)
  await again.endpointFacts(ENDPOINT)
  await again.hostFacts('api.example')
  await again.receiver(aReceiver().network, aReceiver().address)
  await again.putEndpoint(aDocument(), { facts: [anObservation({ at: NOON + 2 * DAY })], days: [] })
  expect(again.stats().rowsRead - before).toBeLessThan(32)
  expect(await listOf(again.looks(ENDPOINT, { to: looks.at(-1)?.at ?? 0 }))).toEqual(looks)
  const folder = join(scratch(), 'store')
  const sizes = await Promise.all(
    (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size),
  )
  expect(sizes.reduce((sum, size) => sum + size, 0) / looks.length).toBeLessThan(45)
  await expect.poll(() => again.stats().diskBytes).toBeGreaterThan(0)
  await again.close()
})

test('behavior: copies itself as it is at one moment while writing goes on', async () => {
  const store = await open()
  const hosts = (from: number) =>
    Array.from({ length: 40 }, (_, index) => aDocument({ endpoint: `https://h${from + index}.example/a` }))
  for (const document of hosts(0)) await store.putEndpoint(document)
  const target = join(scratch(), 'copy')
  const copying = store.copyTo(target)
  await Promise.all(hosts(40).map((document) => store.putEndpoint(document)))
  await copying
  await expect(store.copyTo(target)).rejects.toThrow(StoreOpenError)
  await store.close()
  const copy = await createEmbeddedStore({ directory: target })
  const names = await listOf(copy.ranked('names', NOON))
  expect(await copy.count('hosts/all')).toBe(names.length)
  expect(names.length).toBeGreaterThanOrEqual(40)
  for (const name of names) expect(await copy.host(name)).toMatchObject({ host: name })
  await copy.close()
})

test('default: passes over all facts and claims, and counts receivers', async () => {
  const store = await open({ retentionDays: 1, carry })
  const cited = anObservation({ id: 'o1' })
  const facts = [
    cited,
    aListing(),
    aPurchase(),
    aReceiver(),
    aReceiver({ at: NOON + 1 }),
    { kind: 'incident' as const, id: 'f', at: NOON, incident: anIncident() },
    anObservation({ id: 'c1', purpose: 'control', endpoint: 'https://api.example/random' }),
  ]
  await store.append(facts)
  const later = anObservation({ id: 'o2', at: NOON + 9 * DAY })
  await store.append([later])
  const all = await listOf(store.facts())
  expect(all).toHaveLength(facts.length + 1)
  expect(all).toEqual(expect.arrayContaining([...facts, later]))
  expect(await store.countReceivers()).toBe(1)
  const { claim } = await store.claims.claim(aWantedClaim())
  expect(await listOf(store.claims.all())).toEqual([claim])
  await store.close()
})

test('error: reads and writes of a closed store are refused', async () => {
  const store = await open()
  await store.close()
  await expect(store.endpoint(ENDPOINT)).rejects.toThrow(StoreUnavailableError)
  await expect(store.claims.claim(aWantedClaim())).rejects.toThrow(StoreUnavailableError)
  await expect(store.copyTo(join(scratch(), 'copy'))).rejects.toThrow(StoreUnavailableError)
})
