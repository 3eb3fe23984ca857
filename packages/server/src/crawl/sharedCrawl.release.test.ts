import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createHostLeases } from '../audit/hostLeases.ts'
import type { Clock } from '../lib/clock.ts'
import { systemClock } from '../lib/clock.ts'
import { openStore } from '../services/openStore.ts'
import { createDatabase } from '../store/testing/createEmptyDatabase.ts'
import { type RunningPostgres, startPostgres } from '../store/testing/startPostgres.ts'
import { createProbes, list, startCrawl } from './testing/startCrawl.ts'

/** Pauses for 20 ms at most, since the work is done within a second. */
const clock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal),
}
const patient = { timeout: 20_000, interval: 20 }

let server: RunningPostgres
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

/** Opens an empty database as three processes do. */
async function openAll() {
  const { url } = await createDatabase(server.url)
  const open = async () => {
    const store = await openStore({ databaseUrl: url, dataDir: '' })
    onTestFinished(store.close)
    return store
  }
  return [await open(), await open(), await open()] as const
}

test('default: processes on one database share the hosts with live work, and none is probed twice at once', async () => {
  const stores = await openAll()
  const probes = createProbes(() => sleep(2))
  const endpoints = Array.from({ length: 200 }, (_, index) => `https://host-${index % 40}.example/${index}`)
  await list(stores[0], endpoints)
  const crawls = [startCrawl(stores[0], probes, { clock }), startCrawl(stores[1], probes, { clock })]
  // A process that does not crawl.
  const live = createHostLeases({ store: stores[2], clock: systemClock, log: () => {} })
  let checks = 0
  for (let index = 0; index < 20; index++) {
    const host = `host-${index}.example`
    await live.alone(host, async () => {
      expect(probes.under.has(host)).toBe(false)
      await sleep(2)
      expect(probes.under.has(host)).toBe(false)
      checks++
    })
  }
  await expect.poll(() => probes.probed.length, patient).toBe(200)
  expect([checks, probes.overlaps]).toEqual([20, 0])
  expect(probes.probed.toSorted()).toEqual(endpoints.toSorted())
  const counts = crawls.map(({ crawler }) => crawler.progress().probes)
  expect(Math.min(...counts)).toBeGreaterThan(20)
  expect(crawls.flatMap(({ errors }) => errors)).toEqual([])
})

test('behavior: the crawl goes on after the database came back', async () => {
  const [one, two] = await openAll()
  const probes = createProbes(() => sleep(20))
  const endpoints = Array.from({ length: 300 }, (_, index) => `https://host-${index % 60}.example/${index}`)
  await list(one, endpoints)
  for (const store of [one, two]) startCrawl(store, probes, { crawlConcurrency: 8 })
  await expect.poll(() => probes.probed.length, patient).toBeGreaterThan(20)
  await server.restart('immediate', 100)
  // Hosts that were in progress wait for the end of their leases.
  await expect.poll(() => new Set(probes.probed).size, patient).toBeGreaterThan(150)
  expect(probes.overlaps).toBe(0)
})
