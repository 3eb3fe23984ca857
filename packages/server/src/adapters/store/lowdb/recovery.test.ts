import { cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { anObservation, aWantedClaim, documentOf, NOON } from '../testing/records.ts'
import { useScratchFolder } from '../testing/scratch.ts'
import { createLowdbStore, type LowdbStoreOptions } from './createLowdbStore.ts'
import type { StoreReport } from './report.ts'

const scratch = useScratchFolder()
const segment = (number: number) => join(scratch(), 'log', `${String(number).padStart(8, '0')}.ndjson`)

async function open(options: Partial<LowdbStoreOptions> = {}) {
  const reports: StoreReport[] = []
  const onReport = (report: StoreReport) => reports.push(report)
  const store = await createLowdbStore({ directory: scratch(), now: () => NOON, onReport, ...options })
  const ids = async () => (await store.hostFacts('api.example')).observations.map((one) => one.id)
  return { store, reports, ids }
}

const pair = (index: number) => [
  anObservation({ id: `${index}a`, at: NOON + index }),
  anObservation({ id: `${index}b`, at: NOON + index }),
]

test('behavior: after a crash at any byte, every call is complete or missing', async () => {
  const first = await open()
  await first.store.append(pair(1))
  const acknowledged = (await stat(segment(1))).size
  await first.store.append(pair(2))
  await first.store.close()
  const whole = await readFile(segment(1))
  for (let size = acknowledged; size < whole.length; size += 83) {
    await writeFile(segment(1), whole.subarray(0, size))
    const { store, reports, ids } = await open()
    expect(await ids()).toEqual(['1a', '1b'])
    expect(reports.map((report) => report.code)).toEqual(size === acknowledged ? [] : ['torn_tail'])
    await store.append([anObservation({ id: 'after', at: NOON + 9 })])
    await store.close()
    const again = await open()
    expect(await again.ids()).toEqual(['1a', '1b', 'after'])
    expect(again.reports).toEqual([])
    await again.store.close()
  }
})

test('behavior: removes zeros and garbage that some file systems leave at the end', async () => {
  for (const tail of [Buffer.alloc(4096), Buffer.from('\n\n{"v":1,"seq"\n'), Buffer.from([0xff, 10, 0xfe])]) {
    const first = await open()
    await first.store.append([anObservation({ id: 'x', at: NOON + tail.length })])
    const before = await first.ids()
    await first.store.close()
    await writeFile(segment(1), Buffer.concat([await readFile(segment(1)), tail]))
    const { store, reports, ids } = await open()
    expect(await ids()).toEqual(before)
    expect(reports).toMatchObject([{ code: 'torn_tail', file: segment(1) }])
    await store.close()
  }
})

test('error: moves a damaged segment aside, reports it, and keeps its intact calls', async () => {
  const first = await open({ segmentBytes: 2500 })
  for (let index = 1; index <= 6; index++) await first.store.append(pair(index))
  await first.store.close()
  const names = await readdir(join(scratch(), 'log'))
  expect(names.length).toBeGreaterThan(2)
  const damaged = await readFile(segment(1))
  // One changed digit in the first call: still valid JSON.
  damaged[damaged.indexOf('"latencyMs":41') + 12] = '5'.charCodeAt(0)
  await writeFile(segment(1), damaged)

  const { store, reports, ids } = await open()
  expect(await ids()).toEqual([2, 3, 4, 5, 6].flatMap((index) => [`${index}a`, `${index}b`]))
  expect(reports).toMatchObject([{ code: 'corrupt_segment', file: segment(1) }])
  expect(await readFile(join(scratch(), 'corrupt', '00000001.ndjson'))).toEqual(damaged)
  await store.close()
  const again = await open()
  expect(again.reports).toEqual([])
  expect(await again.ids()).toHaveLength(10)
  await again.store.close()
})

test('error: a missing end in the middle of the log is damage, not a torn tail', async () => {
  const first = await open({ segmentBytes: 2500 })
  for (let index = 1; index <= 6; index++) await first.store.append(pair(index))
  await first.store.close()
  await truncate(segment(1), (await stat(segment(1))).size - 3)
  const { store, reports, ids } = await open()
  expect(reports.map((report) => report.code)).toEqual(['corrupt_segment'])
  expect(await ids()).not.toContain('2a')
  expect(await ids()).toContain('6b')
  await store.close()
})

test('error: moves a segment aside that is not a file', async () => {
  await (await open()).store.close()
  await mkdir(segment(1))
  const { store, reports } = await open()
  expect(reports).toMatchObject([{ code: 'corrupt_segment', file: segment(1) }])
  await store.append(pair(1))
  await store.close()
})

test('error: refuses a log of a newer version without changing it', async () => {
  await (await open()).store.close()
  const line = '{"v":2,"seq":1,"part":0,"parts":1,"crc":"00000000","type":"fact","data":{}}\n'
  await writeFile(segment(1), line)
  await expect(open()).rejects.toThrow(StoreOpenError)
  expect(await readFile(segment(1), 'utf8')).toBe(line)
})

test('behavior: rebuilds deleted, damaged or outdated documents from the log', async () => {
  const hosts = Array.from({ length: 40 }, (_, index) => `host${index}.example`)
  const first = await open()
  for (const host of hosts) await first.store.putHost(documentOf(host, NOON))
  await first.store.flush()
  const documents = join(scratch(), 'documents')
  const old = join(scratch(), 'old')
  await cp(documents, old, { recursive: true })
  for (const host of hosts) await first.store.putHost(documentOf(host, NOON + 1))
  await first.store.close()
  const expected = hosts.map((host) => documentOf(host, NOON + 1))
  const [damaged = ''] = await readdir(documents)

  const damages = {
    none: async () => {},
    deleted: () => rm(documents, { recursive: true }),
    'one deleted': () => rm(join(documents, damaged)),
    'one damaged': async () => {
      const text = await readFile(join(documents, damaged), 'utf8')
      await writeFile(join(documents, damaged), text.replace('"score":91', '"score":92'))
    },
    older: async () => {
      await rm(documents, { recursive: true })
      await cp(old, documents, { recursive: true })
    },
  }
  for (const [name, damage] of Object.entries(damages)) {
    await damage()
    const { store, reports } = await open()
    expect(await Promise.all(hosts.map((host) => store.getHost(host)))).toEqual(expected)
    expect(reports.map((report) => report.code)).toEqual(name === 'one damaged' ? ['corrupt_document'] : [])
    await store.close()
  }
})

test('behavior: loads documents from their files without the log', async () => {
  const first = await open()
  await first.store.putHost(documentOf('api.example', NOON))
  await first.store.close()
  await rm(segment(1))
  const { store } = await open()
  expect(await store.getHost('api.example')).toEqual(documentOf('api.example', NOON))
  await store.close()
})

test('behavior: restores claims from the log alone', async () => {
  const first = await open()
  await first.store.claims.claim(aWantedClaim())
  await first.store.close()
  await rm(join(scratch(), 'documents'), { recursive: true })
  const { store } = await open()
  expect((await store.claims.claim(aWantedClaim())).won).toBe(false)
  await store.close()
})
