import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { Directory } from '../directories/directory.ts'
import { StoreUnavailableError } from '../facts/storeError.ts'
import { systemClock } from '../lib/clock.ts'
import { readListings } from '../store/facts.ts'
import { countDue } from '../store/leases.ts'
import { aState } from '../store/testing/documents.ts'
import { aListing } from '../store/testing/records.ts'
import { withReads, withUnits } from '../store/testing/withFaults.ts'
import { openStore } from './testing/openStore.ts'
import { createProbes, directoryOf, list, startCrawl } from './testing/startCrawl.ts'

const HOUR = 3_600_000
const patient = { timeout: 30_000, interval: 10 }
const urlOf = (host: string) => `https://${host}/a`
/** Lists some hosts and then hangs until aborted. */
const stuckAfter = (hosts: readonly string[]): Directory => ({
  name: 'stuck',
  async *pages(signal) {
    yield* directoryOf('stuck', hosts).pages()
    await sleep(HOUR, undefined, signal && { signal })
  },
})
const broken: Directory = {
  name: 'broken',
  // biome-ignore lint/correctness/useYield: it fails before its first page
  async *pages() {
    throw new Error('no answer')
  },
}

/** Opens a store with one known endpoint that is due. */
async function openKnown() {
  const store = await openStore()
  await store.write(
    'putEndpoint',
    aState({ endpoint: 'https://known.example/a', derivedAt: 0, nextProbeAt: 0 }),
  )
  return { store, probes: createProbes() }
}

/** Creates a gate and work that waits there. */
function createGate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

test('default: probes due endpoints and newly listed ones, and reports its progress', async () => {
  const { store, probes } = await openKnown()
  const due: number[] = []
  const { crawler, errors, stop } = startCrawl(store, probes, {
    directories: [directoryOf('file', ['a.example', 'b.example'])],
    onProgress: (progress) => due.push(progress.due),
  })
  const wanted = ['a.example', 'b.example', 'known.example'].map(urlOf)
  await expect.poll(() => probes.probed.toSorted(), patient).toEqual(wanted)
  await expect.poll(() => crawler.progress().round, patient).toBeNull()
  expect(crawler.progress()).toMatchObject({
    probes: 3,
    failures: 0,
    due: 0,
    discoveries: 1,
    listed: 2,
    lastFinishedAt: expect.any(Number),
    directories: { read: 1, failed: 0, reading: 0 },
  })
  expect(due.at(-1)).toBe(0)
  await stop()
  expect([probes.probed.length, errors]).toEqual([3, []])
})

test('behavior: a hanging or failing directory does not delay probes', async () => {
  const { store, probes } = await openKnown()
  const directories = [stuckAfter(['slow.example']), broken, directoryOf('file', ['quick.example'])]
  const { crawler, errors, stop } = startCrawl(store, probes, { directories })
  const wanted = ['known.example', 'quick.example', 'slow.example'].map(urlOf)
  await expect.poll(() => probes.probed.toSorted(), patient).toEqual(wanted)
  expect(errors).toEqual(['directory broken failed: no answer'])
  // The hanging directory has not been read once.
  expect(crawler.progress()).toMatchObject({
    discoveries: 0,
    directories: { read: 1, failed: 1, reading: 1 },
  })
  await stop()
  expect(errors).toHaveLength(1)
})

test('behavior: reads each directory again on its own schedule', async () => {
  const { store, probes } = await openKnown()
  const reads: string[] = []
  let later = 0
  const counted = (directory: Directory): Directory => ({
    name: directory.name,
    pages(signal) {
      reads.push(directory.name)
      return directory.pages(signal)
    },
  })
  const { crawler } = startCrawl(store, probes, {
    directories: [counted(stuckAfter([])), counted(directoryOf('file', ['a.example']))],
    clock: {
      ...systemClock,
      now: () => Date.now() + later,
      async sleep(_, signal) {
        await systemClock.sleep(1, signal)
        later += HOUR
      },
    },
  })
  await expect.poll(() => reads.filter((name) => name === 'file').length, patient).toBeGreaterThan(2)
  expect(reads.filter((name) => name === 'stuck')).toHaveLength(1)
  expect(crawler.progress().directories).toMatchObject({ failed: 0, reading: 1 })
})

test('behavior: sleeps until the next endpoint is due, by the clock of the audit', async () => {
  const { store, probes } = await openKnown()
  let now = 1_000
  let holds = 0
  const slept: number[] = []
  const ended = new AbortController()
  startCrawl(store, probes, {
    clock: {
      now: () => now,
      hold() {
        holds++
        return () => {
          holds--
        }
      },
      // As in a simulation: jumps once no work holds the clock.
      async sleep(ms, signal) {
        while (holds > 0 && !signal?.aborted) await sleep(1)
        signal?.throwIfAborted()
        slept.push(ms)
        now += ms
        if (probes.probed.length > 2) await systemClock.sleep(HOUR, AbortSignal.any([signal ?? ended.signal]))
      },
    },
  })
  await expect.poll(() => probes.probed.length, patient).toBe(3)
  // A probe takes none of its time, and the longest pause is 15 minutes.
  expect(slept.slice(0, 4)).toEqual([HOUR / 4, HOUR / 4, HOUR / 4, HOUR / 4])
})

test('behavior: sleeps no longer than the given maximum, where other processes write due endpoints', async () => {
  const slept: number[] = []
  const sleepBriefly = async (ms: number, signal?: AbortSignal) => {
    slept.push(ms)
    await systemClock.sleep(1, signal)
  }
  startCrawl(await openStore(), createProbes(), {
    clock: { ...systemClock, sleep: sleepBriefly },
    databaseUrl: 'postgres://shared',
  })
  await expect.poll(() => slept.length, patient).toBeGreaterThan(2)
  expect(new Set(slept)).toEqual(new Set([1_000]))
})

test('behavior: rests behind a host that is due with nothing to probe', async () => {
  const store = await openStore()
  await list(store, [urlOf('empty.example')])
  const due = vi.fn(() => [])
  startCrawl(
    withReads(store, 'endpoint', (rows) => ('url' in (rows[0] ?? {}) ? due() : rows)),
    createProbes(),
  )
  await sleep(100)
  expect(due).toHaveBeenCalledTimes(1)
})

test('behavior: probes all endpoints of a requested host first', async () => {
  const store = await openStore()
  const probes = createProbes()
  const later = Date.now() + HOUR
  for (const path of ['a', 'b'])
    await store.write(
      'putEndpoint',
      aState({ endpoint: `https://asked.example/${path}`, derivedAt: Date.now(), nextProbeAt: later }),
    )
  await list(
    store,
    ['one', 'two', 'three'].map((name) => urlOf(`${name}.example`)),
  )
  const gate = createGate()
  probes.during = () => gate.opened
  const { crawler } = startCrawl(store, probes, { crawlConcurrency: 1 })
  await expect.poll(() => probes.under.size, patient).toBe(1)
  await crawler.request('asked.example', ['https://asked.example/a', 'https://asked.example/b'])
  await crawler.request('unknown.example', ['https://unknown.example/a'])
  gate.open()
  await expect.poll(() => probes.probed.length, patient).toBe(5)
  expect(probes.probed.slice(1, 3)).toEqual(['https://asked.example/a', 'https://asked.example/b'])
  await expect.poll(() => crawler.progress().due, patient).toBe(0)
})

test('behavior: a request wakes a crawl that sleeps', async () => {
  const store = await openStore()
  const probes = createProbes()
  await store.write(
    'putEndpoint',
    aState({ endpoint: 'https://asked.example/a', derivedAt: Date.now(), nextProbeAt: Date.now() + HOUR }),
  )
  const { crawler } = startCrawl(store, probes)
  await expect.poll(() => crawler.progress().lastFinishedAt, patient).not.toBeNull()
  expect(probes.probed).toEqual([])
  await crawler.request('asked.example', ['https://asked.example/a', 'https://asked.example/b'])
  await expect.poll(() => probes.probed, patient).toEqual([urlOf('asked.example')])
})

test('error: counts a failed probe and postpones its endpoint', async () => {
  const { store, probes } = await openKnown()
  probes.during = () => Promise.reject(new Error('out of memory'))
  const { crawler, errors } = startCrawl(store, probes)
  await expect.poll(() => crawler.progress().lastFinishedAt, patient).not.toBeNull()
  expect(errors).toEqual([`probe ${urlOf('known.example')} failed: out of memory`])
  expect(crawler.progress()).toMatchObject({ probes: 0, failures: 1, due: 0, round: null, lastProbeAt: null })
  expect(await countDue(store, Date.now() + HOUR / 4 - 1_000)).toBe(0)
  expect(await countDue(store, Date.now() + HOUR / 4)).toBe(1)
})

test('behavior: a stopped crawl finishes its probe and leaves its host to others at once', async () => {
  const store = await openStore()
  const endpoints = ['a', 'b', 'c'].map((path) => `https://api.example/${path}`)
  await list(store, endpoints)
  const gate = createGate()
  const probes = createProbes(() => gate.opened)
  const { stop } = startCrawl(store, probes)
  await expect.poll(() => probes.under.size, patient).toBe(1)
  const stopped = stop()
  gate.open()
  await stopped
  expect(probes.probed).toEqual(endpoints.slice(0, 1))
  startCrawl(store, probes)
  await expect.poll(() => probes.probed, patient).toEqual(endpoints)
})

test('error: survives an outage of the store', async () => {
  const { store, probes } = await openKnown()
  let isDown = true
  const ifUp = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isDown) throw new StoreUnavailableError('no database')
    return work()
  }
  const flaky = withUnits(
    withReads(
      withReads(store, 'host', (rows) => ifUp(async () => rows)),
      'endpoint',
      (rows) => ifUp(async () => rows),
    ),
    {
      takeHosts: (...args) => ifUp(() => store.write('takeHosts', ...args)),
      takeLease: (...args) => ifUp(() => store.write('takeLease', ...args)),
      releaseLease: (...args) => ifUp(() => store.write('releaseLease', ...args)),
      renewLease: (...args) => ifUp(() => store.write('renewLease', ...args)),
    },
  )
  const slept: number[] = []
  // A pause is what is left until its end, so a clock that runs could take a millisecond off it.
  const now = systemClock.now()
  const { errors } = startCrawl(flaky, probes, {
    clock: {
      ...systemClock,
      now: () => now,
      async sleep(ms, signal) {
        slept.push(ms)
        if (slept.length === 9) isDown = false
        await systemClock.sleep(1, signal)
      },
    },
  })
  await expect.poll(() => probes.probed, patient).toEqual([urlOf('known.example')])
  expect(slept.slice(0, 9)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000))
  expect(errors).toHaveLength(9)
  // Another outage begins with short pauses.
  slept.splice(0)
  isDown = true
  await expect.poll(() => slept, patient).toContain(4_000)
})

test('behavior: counts listings of a host that has too many as skipped, and keeps the known ones', async () => {
  const store = await openStore()
  const gate = createGate()
  const probes = createProbes(() => gate.opened)
  const endpoints = Array.from({ length: 520 }, (_, index) => `https://many.example/${index}`)
  const { crawler, errors } = startCrawl(store, probes, {
    directories: [
      {
        name: 'file',
        async *pages() {
          for (const part of [endpoints.slice(0, 300), endpoints.slice(300)]) {
            const rows = part.map((endpoint) =>
              aListing({ host: 'many.example', endpoint, directory: 'file' }),
            )
            yield { rows, skipped: { over_limit: 1 } }
          }
        },
      },
    ],
  })
  await expect.poll(() => crawler.progress().discoveries, patient).toBe(1)
  expect(crawler.progress().skipped).toEqual({ over_limit: 22 })
  expect((await readListings(store, endpoints)).size).toBe(500)
  expect(errors).toEqual([])
  gate.open()
})
