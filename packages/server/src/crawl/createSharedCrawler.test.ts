import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { systemClock } from '../adapters/clock/systemClock.ts'
import { createMemoryStore } from '../adapters/store/memory/createMemoryStore.ts'
import { createCrawlQueue } from '../adapters/store/postgres/createCrawlQueue.ts'
import { aListing, anObservation } from '../adapters/store/testing/records.ts'
import { usePostgres } from '../adapters/store/testing/usePostgres.ts'
import type { CrawlQueue } from '../ports/crawlQueue.ts'
import type { Directory } from '../ports/directory.ts'
import type { CrawlerDeps } from './createCrawler.ts'
import { createSharedCrawler } from './createSharedCrawler.ts'
import { endpointDocument } from './testing/endpointDocument.ts'

const emptyDatabase = usePostgres()

const patient = { timeout: 15_000 }
const warnings: string[] = []
const opened: (() => Promise<void>)[] = []
beforeEach(() => async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

// One store in memory stands for the database, whose own tests cover it.
const store = createMemoryStore()

const open = async () => {
  const queue = await createCrawlQueue({
    url: emptyDatabase().url,
    concurrency: 4,
    onError: (error) => warnings.push(String(error)),
  })
  opened.push(() => queue.close())
  return queue
}

const isUnder = new Set<string>()
let overlaps = 0
const looked: string[] = []

/** Records slow probes, and schedules no further ones. */
const auditor: CrawlerDeps['auditor'] = {
  async look(endpoint) {
    const { host } = new URL(endpoint)
    if (isUnder.has(host)) overlaps++
    isUnder.add(host)
    await sleep(20)
    isUnder.delete(host)
    looked.push(endpoint)
    const document = endpointDocument(host, Date.now(), Date.now() + 3_600_000)
    await store.putEndpoint(document)
    return { state: document.state, observations: [anObservation()] }
  },
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
  queue: CrawlQueue,
  hosts: readonly string[],
  led: number[],
  name: number,
  directories: readonly Directory[] = [directoryOf(hosts)],
) => {
  const ending = new AbortController()
  const crawler = createSharedCrawler({
    auditor,
    store,
    queue,
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

test('default: processes share a crawl with one leader', async () => {
  const hosts = Array.from({ length: 60 }, (_, index) => `host${index}.example`)
  const led: number[] = []
  const [one, two] = [await open(), await open()]
  const first = start(one, hosts, led, 1)
  await expect.poll(() => led, patient).toEqual([1])
  const second = start(two, hosts, led, 2)
  await expect.poll(() => looked.length, patient).toBe(60)
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

test('behavior: a hanging directory does not delay probes', async () => {
  const directories = [stuckAfter(['slow.example']), directoryOf(['quick.example'])]
  const { crawler } = start(await open(), [], [], 1, directories)
  const wanted = ['https://quick.example/a', 'https://slow.example/a']
  await expect.poll(() => looked.filter((url) => wanted.includes(url)).toSorted(), patient).toEqual(wanted)
  expect(crawler.progress().directories).toEqual({ read: 1, failed: 0, reading: 1 })
})

test('behavior: probes a requested host even if it is not due', async () => {
  await store.putEndpoint(endpointDocument('asked.example', Date.now(), Date.now() + 3_600_000))
  const { crawler } = start(await open(), [], [], 1, [])
  await crawler.request('asked.example')
  await crawler.request('unknown.example')
  await expect.poll(() => looked, patient).toContain('https://asked.example/a')
})
