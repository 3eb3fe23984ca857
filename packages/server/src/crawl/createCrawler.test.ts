import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../adapters/clock/systemClock.ts'
import { createMemoryStore } from '../adapters/store/memory/createMemoryStore.ts'
import { aListing, anObservation } from '../adapters/store/testing/records.ts'
import type { Directory } from '../ports/directory.ts'
import { type CrawlerDeps, createCrawler } from './createCrawler.ts'
import { endpointDocument } from './testing/endpointDocument.ts'

const patient = { timeout: 15_000 }
const urlOf = (host: string) => `https://${host}/a`
const directoryOf = (name: string, hosts: readonly string[]): Directory => ({
  name,
  async *pages() {
    const rows = hosts.map((host) => aListing({ host, endpoint: urlOf(host), directory: name }))
    yield { rows, skipped: { malformed: 1 } }
  },
})
/** Lists some hosts and then hangs until aborted. */
const stuckAfter = (hosts: readonly string[]): Directory => ({
  name: 'stuck',
  async *pages(signal) {
    yield* directoryOf('stuck', hosts).pages()
    await sleep(3_600_000, undefined, signal && { signal })
  },
})
const broken: Directory = {
  name: 'broken',
  // biome-ignore lint/correctness/useYield: it fails before its first page
  async *pages() {
    throw new Error('no answer')
  },
}

/** Creates a crawler whose probes wait at a gate. */
async function start(directories: readonly Directory[], changes: Partial<CrawlerDeps> = {}) {
  const store = createMemoryStore()
  // Known and due.
  await store.putEndpoint(endpointDocument('known.example', 0, 0))
  const looked: string[] = []
  const errors: string[] = []
  const gate = { open: Promise.resolve() }
  const look = async (endpoint: string) => {
    await gate.open
    looked.push(endpoint)
    const document = endpointDocument(new URL(endpoint).host, Date.now(), Date.now() + 3_600_000)
    await store.putEndpoint(document)
    return { state: document.state, observations: [anObservation()] }
  }
  const crawler = createCrawler({
    auditor: { look },
    store,
    clock: systemClock,
    newId: (prefix) => `${prefix}_${Math.random()}`,
    directories,
    onError: (directory, error) => errors.push(`${directory}: ${error}`),
    ...changes,
  })
  const ending = new AbortController()
  const begin = () => {
    const running = crawler.run(ending.signal)
    const stop = async () => {
      ending.abort()
      await running
    }
    onTestFinished(stop)
    return stop
  }
  return { crawler, store, looked, errors, gate, begin }
}

test('default: probes due endpoints and newly listed ones', async () => {
  const { crawler, looked, errors, begin } = await start([directoryOf('file', ['a.example', 'b.example'])])
  expect(crawler.progress()).toMatchObject({ discoveries: 0, round: null, lastFinishedAt: null })
  const stop = begin()
  const wanted = ['a.example', 'b.example', 'known.example'].map(urlOf)
  await expect.poll(() => looked.toSorted(), patient).toEqual(wanted)
  await expect.poll(() => crawler.progress().round, patient).toBeNull()
  expect(crawler.progress()).toMatchObject({
    looks: 3,
    due: 0,
    discoveries: 1,
    listed: 2,
    skipped: { malformed: 1 },
    directories: { read: 1, failed: 0, reading: 0 },
  })
  expect(crawler.progress().lastFinishedAt).not.toBeNull()
  await stop()
  expect([looked.length, errors]).toEqual([3, []])
})

test('behavior: a hanging or failing directory does not delay probes', async () => {
  const directories = [stuckAfter(['slow.example']), broken, directoryOf('file', ['quick.example'])]
  const { crawler, looked, errors, begin } = await start(directories)
  const stop = begin()
  const wanted = ['known.example', 'quick.example', 'slow.example'].map(urlOf)
  await expect.poll(() => looked.toSorted(), patient).toEqual(wanted)
  expect(errors).toEqual(['broken: Error: no answer'])
  // The hanging directory has not been read once.
  expect(crawler.progress()).toMatchObject({
    discoveries: 0,
    directories: { read: 1, failed: 1, reading: 1 },
  })
  await stop()
  expect(errors).toHaveLength(1)
})

test('behavior: reads each directory again on its own schedule', async () => {
  const reads: string[] = []
  const counted = (directory: Directory): Directory => ({
    name: directory.name,
    pages(signal) {
      reads.push(directory.name)
      return directory.pages(signal)
    },
  })
  const directories = [counted(stuckAfter([])), counted(directoryOf('file', ['a.example']))]
  const clock = {
    ...systemClock,
    sleep: (_: number, signal?: AbortSignal) => systemClock.sleep(1, signal),
  }
  const { crawler, begin } = await start(directories, { clock, discoverEveryMs: 1 })
  begin()
  await expect.poll(() => reads.filter((name) => name === 'file').length, patient).toBeGreaterThan(2)
  expect(reads.filter((name) => name === 'stuck')).toHaveLength(1)
  expect(crawler.progress().directories).toMatchObject({ failed: 0, reading: 1 })
})

test('behavior: reports the start and progress of a round', async () => {
  const { crawler, gate, begin } = await start([])
  let release = () => {}
  gate.open = new Promise((resolve) => {
    release = resolve
  })
  const before = Date.now()
  begin()
  await expect
    .poll(() => crawler.progress(), patient)
    .toMatchObject({ due: 1, round: { looked: 0, total: 1 }, lastFinishedAt: null })
  crawler.request('known.example')
  await expect.poll(() => crawler.progress().due, patient).toBe(2)
  expect(crawler.progress().round?.startedAt).toBeGreaterThanOrEqual(before)
  release()
  await expect.poll(() => crawler.progress().looks, patient).toBe(2)
  await expect.poll(() => crawler.progress().lastFinishedAt, patient).toBeGreaterThanOrEqual(before)
  expect(crawler.progress()).toMatchObject({ due: 0, round: null })
})

test('error: counts a failed probe and retries it later', async () => {
  const failed: string[] = []
  const fail = async () => {
    throw new Error('the store is full')
  }
  const { crawler, begin } = await start([], {
    auditor: { look: fail },
    onLookError: (endpoint, error) => failed.push(`${endpoint} ${error}`),
  })
  begin()
  await expect.poll(() => crawler.progress().failures, patient).toBe(1)
  expect(failed).toEqual([`${urlOf('known.example')} Error: the store is full`])
  expect(crawler.progress()).toMatchObject({ looks: 0, due: 0, round: null, lastLookAt: null })
})

test('behavior: works on one endpoint of a host at a time, and on several hosts at once', async () => {
  const under = new Map<string, number>()
  const most = { perHost: 0, hosts: 0 }
  let looks = 0
  const { store, begin } = await start([], {
    concurrency: 3,
    auditor: {
      async look(endpoint) {
        const { host } = new URL(endpoint)
        under.set(host, (under.get(host) ?? 0) + 1)
        most.perHost = Math.max(most.perHost, under.get(host) ?? 0)
        most.hosts = Math.max(most.hosts, [...under.values()].filter((count) => count > 0).length)
        await sleep(5)
        under.set(host, (under.get(host) ?? 0) - 1)
        const document = endpointDocument(host, Date.now(), Date.now() + 3_600_000, endpoint)
        await store.putEndpoint(document)
        looks++
        return { state: document.state, observations: [anObservation()] }
      },
    },
  })
  for (let index = 0; index < 20; index++) {
    const host = `h${index % 5}.example`
    await store.append([aListing({ id: `l${index}`, host, endpoint: `https://${host}/${index}` })])
  }
  begin()
  await expect.poll(() => looks, patient).toBe(21)
  expect(most).toEqual({ perHost: 1, hosts: 3 })
})

test('behavior: another crawler probes what a stopped one has taken', async () => {
  const { store, looked, gate, begin } = await start([directoryOf('file', ['a.example', 'b.example'])], {
    concurrency: 1,
  })
  let release = () => {}
  gate.open = new Promise((resolve) => {
    release = resolve
  })
  const stop = begin()
  await expect.poll(async () => (await store.listings([urlOf('b.example')])).size, patient).toBe(1)
  await expect.poll(() => store.countDue('looks', Date.now()), patient).toBe(0)
  const stopped = stop()
  release()
  await stopped
  expect(looked).toEqual([urlOf('known.example')])
  const again = Date.now() + 15 * 60_000
  expect(await store.claimDue('looks', again, again + 1, 10)).toEqual(['a.example', 'b.example'].map(urlOf))
})

test('error: reports a failing store and retries', async () => {
  const failures: unknown[] = []
  const { crawler, store } = await start([])
  await store.close()
  const ending = new AbortController()
  const slept: number[] = []
  const broken = createCrawler({
    auditor: { look: () => Promise.reject(new Error('never called')) },
    store,
    clock: {
      now: () => 0,
      hold: () => () => {},
      async sleep(ms) {
        slept.push(ms)
        if (slept.length === 2) ending.abort()
      },
    },
    newId: () => 'id',
    directories: [],
    onStoreError: (error) => failures.push(error),
  })
  await broken.run(ending.signal)
  expect([failures.length, slept, crawler.progress().looks]).toEqual([2, [60_000, 60_000], 0])
})
