import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../adapters/clock/systemClock.ts'
import { aListing, documentOf } from '../adapters/store/testing/records.ts'
import { type RunningPostgres, startPostgres } from '../adapters/store/testing/startPostgres.ts'
import { openStorage, type Storage } from '../app/openStorage.ts'
import { auditAlone } from '../audit/auditAlone.ts'
import type { Auditor } from '../audit/createAuditor.ts'
import type { Directory } from '../ports/directory.ts'
import { createSharedCrawler } from './createSharedCrawler.ts'

let server: RunningPostgres
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const patient = { timeout: 15_000 }
const warnings: string[] = []
const opened: (() => Promise<void>)[] = []
beforeEach(() => async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

const open = async () => {
  const settings = { databaseUrl: server.url, dataDir: '', crawlConcurrency: 4 }
  const storage = await openStorage(settings, (message) => warnings.push(message))
  opened.push(() => storage.close())
  return storage
}

const isUnder = new Set<string>()
let overlaps = 0
const looked: string[] = []

/** Creates an auditor that records its slow probes and schedules no further ones. */
const auditorOn = ({ readModel }: Storage): Auditor => {
  const look = async (endpoint: string) => {
    const { host } = new URL(endpoint)
    if (isUnder.has(host)) overlaps++
    isUnder.add(host)
    await sleep(20)
    isUnder.delete(host)
    looked.push(endpoint)
    const document = documentOf(host, Date.now())
    const endpoints = document.endpoints.map((state) => ({ ...state, nextProbeAt: Date.now() + 3_600_000 }))
    await readModel.put({ ...document, endpoints })
    const [state] = endpoints
    if (state === undefined) throw new Error('a document has endpoints')
    return { state, observations: [] }
  }
  return { look, lookLive: look, judge: async (endpoint) => (await look(endpoint)).state }
}

const directoryOf = (hosts: readonly string[]): Directory => ({
  name: 'file',
  async *pages() {
    const rows = hosts.map((host) => aListing({ host, endpoint: `https://${host}/a`, directory: 'file' }))
    yield { rows, skipped: {} }
  },
})

/** Lists some hosts and then hangs. */
const stuckAfter = (hosts: readonly string[]): Directory => ({
  name: 'stuck',
  async *pages(signal) {
    yield* directoryOf(hosts).pages()
    await sleep(3_600_000, undefined, signal && { signal })
  },
})

const start = (
  storage: Storage,
  hosts: readonly string[],
  led: number[],
  name: number,
  directories: readonly Directory[] = [directoryOf(hosts)],
) => {
  if (storage.queue === null) throw new Error('a database has a queue')
  const ending = new AbortController()
  const crawler = createSharedCrawler({
    auditor: auditorOn(storage),
    ...storage,
    queue: storage.queue,
    clock: systemClock,
    newId: (prefix) => `${prefix}_${Math.random()}`,
    directories,
    lead: async () => void led.push(name),
  })
  const running = crawler.run(ending.signal)
  const stop = async () => {
    ending.abort()
    await running
  }
  opened.push(stop)
  return { crawler, stop }
}

test('default: processes share a crawl with one leader, and each shows the results of the others', async () => {
  const hosts = Array.from({ length: 60 }, (_, index) => `host${index}.example`)
  const led: number[] = []
  const [one, two, reader] = [await open(), await open(), await open()]
  const first = start(one, hosts, led, 1)
  await expect.poll(() => led, patient).toEqual([1])
  const second = start(two, hosts, led, 2)
  await expect.poll(() => reader.readModel.hosts().length, patient).toBe(60)
  expect(looked.toSorted()).toEqual(hosts.map((host) => `https://${host}/a`).toSorted())
  expect(overlaps).toBe(0)
  expect(first.crawler.progress().looks + second.crawler.progress().looks).toBe(60)
  expect(led).toEqual([1])
  // Only the leader reports a round.
  await expect
    .poll(() => first.crawler.progress(), patient)
    .toMatchObject({
      due: 0,
      round: null,
      lastFinishedAt: expect.any(Number),
      discoveries: 1,
      listed: 60,
      directories: { read: 1, failed: 0, reading: 0 },
    })
  expect(second.crawler.progress()).toMatchObject({ round: null, lastFinishedAt: null, discoveries: 0 })
  await first.stop()
  expect(first.crawler.progress()).toMatchObject({ round: null, lastFinishedAt: null })
  await expect.poll(() => led, patient).toEqual([1, 2])
  expect(warnings).toEqual([])
})

test('behavior: a live check locks its host across processes', async () => {
  const storages = [await open(), await open()]
  const auditors = storages.map((storage) => {
    if (storage.queue === null) throw new Error('a database has a queue')
    return auditAlone(auditorOn(storage), storage.queue, storage.readModel)
  })
  const before = looked.length
  await Promise.all([...auditors, ...auditors].map((auditor) => auditor.lookLive('https://live.example/a')))
  expect([looked.length - before, overlaps]).toEqual([4, 0])
  const gone = AbortSignal.abort(new Error('the client has gone'))
  await expect(auditors[0]?.lookLive('https://live.example/a', gone)).rejects.toThrow('the client has gone')
})

test('behavior: a hanging directory does not delay probes', async () => {
  const storage = await open()
  const directories = [stuckAfter(['slow.example']), directoryOf(['quick.example'])]
  const { crawler } = start(storage, [], [], 1, directories)
  const wanted = ['https://quick.example/a', 'https://slow.example/a']
  await expect.poll(() => looked.filter((url) => wanted.includes(url)).toSorted(), patient).toEqual(wanted)
  expect(crawler.progress().directories).toEqual({ read: 1, failed: 0, reading: 1 })
})
