import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../adapters/clock/systemClock.ts'
import { createMemoryStore } from '../adapters/store/memory/createMemoryStore.ts'
import { aListing, documentOf } from '../adapters/store/testing/records.ts'
import type { Directory } from '../ports/directory.ts'
import { createReadModel } from '../readModel/createReadModel.ts'
import { type CrawlerDeps, createCrawler } from './createCrawler.ts'

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
  const readModel = await createReadModel(store)
  // Known and due.
  const known = documentOf('known.example', 0)
  const endpoints = known.endpoints.map((state) => ({
    ...state,
    endpoint: urlOf('known.example'),
    nextProbeAt: 0,
  }))
  await readModel.put({ ...known, endpoints })
  const looked: string[] = []
  const errors: string[] = []
  const gate = { open: Promise.resolve() }
  const look = async (endpoint: string) => {
    await gate.open
    looked.push(endpoint)
    const { host } = new URL(endpoint)
    const [state] = documentOf(host, Date.now()).endpoints
    if (state === undefined) throw new Error('a document has endpoints')
    const later = { ...state, endpoint, nextProbeAt: Date.now() + 3_600_000 }
    await readModel.put({ host, endpoints: [later], updatedAt: Date.now() })
    return { state: later, observations: [] }
  }
  const crawler = createCrawler({
    auditor: { look, lookLive: look, judge: async (endpoint) => (await look(endpoint)).state },
    readModel,
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
  return { crawler, looked, errors, gate, begin }
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
  const { crawler, begin } = await start(directories, { discoverEveryMs: 1 })
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
  expect(crawler.progress()).toMatchObject({ due: 1, round: { looked: 0, total: 1 }, lastFinishedAt: null })
  // Requested hosts join the round.
  crawler.request('known.example')
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
    auditor: { look: fail, lookLive: fail, judge: fail },
    onLookError: (endpoint, error) => failed.push(`${endpoint} ${error}`),
  })
  begin()
  await expect.poll(() => crawler.progress().failures, patient).toBe(1)
  expect(failed).toEqual([`${urlOf('known.example')} Error: the store is full`])
  expect(crawler.progress()).toMatchObject({ looks: 0, due: 0, round: null, lastLookAt: null })
})
