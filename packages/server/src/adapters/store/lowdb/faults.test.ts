import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import { anObservation, aWantedClaim, documentOf, NOON } from '../testing/records.ts'
import { useScratchFolder } from '../testing/scratch.ts'
import { createLowdbStore } from './createLowdbStore.ts'
import { type LogFile, type OpenLogFile, openLogFile } from './logFile.ts'
import type { StoreReport } from './report.ts'

const scratch = useScratchFolder()

type Fault = 'none' | 'half_written' | 'sync_failed' | 'nothing_works' | 'no_new_file'

/** Opens real files on a disk that fails on command. */
function failingDisk() {
  const disk = { fault: 'none' as Fault, syncs: 0 }
  const full = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  const openFile: OpenLogFile = async (path) => {
    if (disk.fault === 'no_new_file') throw full()
    const file = await openLogFile(path)
    const failing: LogFile = {
      async write(bytes, offset) {
        if (disk.fault === 'half_written' || disk.fault === 'nothing_works') {
          await file.write(bytes.subarray(0, bytes.length / 2), offset)
          throw full()
        }
        await file.write(bytes, offset)
      },
      async sync() {
        if (disk.fault === 'sync_failed') throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
        disk.syncs += 1
        await file.sync()
      },
      async truncate(bytes) {
        if (disk.fault === 'nothing_works') throw full()
        await file.truncate(bytes)
      },
      close: () => file.close(),
    }
    return failing
  }
  return { disk, openFile }
}

async function openOn(openFile: OpenLogFile, segmentBytes = 1_000_000) {
  const reports: StoreReport[] = []
  const onReport = (report: StoreReport) => reports.push(report)
  const store = await createLowdbStore({ directory: scratch(), openFile, onReport, segmentBytes })
  const ids = async () => (await store.hostFacts('api.example')).observations.map((one) => one.id)
  return { store, ids, reports }
}

for (const fault of ['half_written', 'sync_failed', 'nothing_works'] as const) {
  test(`error: ${fault}: rejects writes without applying them, keeps reading, and recovers`, async () => {
    const { disk, openFile } = failingDisk()
    const { store, ids, reports } = await openOn(openFile)
    await store.append([anObservation({ id: 'before' })])
    await store.putHost(documentOf('api.example', NOON))

    disk.fault = fault
    const refused = [
      store.append([anObservation({ id: 'lost' })]),
      store.putHost(documentOf('api.example', NOON + 1)),
      store.claims.claim(aWantedClaim()),
      store.claims.claim(aWantedClaim()),
    ]
    for (const result of refused) await expect(result).rejects.toThrow(StoreUnavailableError)
    await expect(store.append([anObservation({ id: 'lost too' })])).rejects.toThrow(StoreUnavailableError)
    expect(await ids()).toEqual(['before'])
    expect(await store.getHost('api.example')).toEqual(documentOf('api.example', NOON))
    expect(await store.claims.get(aWantedClaim())).toBeUndefined()
    expect(new Set(reports.map((report) => report.code))).toEqual(new Set(['write_failed']))

    disk.fault = 'none'
    await store.append([anObservation({ id: 'after', at: NOON + 1 })])
    expect((await store.claims.claim(aWantedClaim())).won).toBe(true)
    await store.close()
    const again = await openOn(openLogFile)
    expect(again.reports).toEqual([])
    expect(await again.ids()).toEqual(['before', 'after'])
    expect((await again.store.claims.claim(aWantedClaim())).won).toBe(false)
    expect(await again.store.getHost('api.example')).toEqual(documentOf('api.example', NOON))
    await again.store.close()
  })
}

test('error: refuses writes while no new segment can be created', async () => {
  const { disk, openFile } = failingDisk()
  const { store, ids } = await openOn(openFile, 100)
  await store.append([anObservation({ id: 'a' })])
  disk.fault = 'no_new_file'
  await expect(store.append([anObservation({ id: 'b' })])).rejects.toThrow(StoreUnavailableError)
  disk.fault = 'none'
  await store.append([anObservation({ id: 'c' })])
  expect(await ids()).toEqual(['a', 'c'])
  await store.close()
})

test('behavior: repairs the log after a crash while the disk fails', async () => {
  const { disk, openFile } = failingDisk()
  const { store } = await openOn(openFile)
  await store.append([anObservation({ id: 'before' })])
  disk.fault = 'nothing_works'
  await expect(store.append([anObservation({ id: 'lost' })])).rejects.toThrow(StoreUnavailableError)
  await store.close()
  const again = await openOn(openLogFile)
  expect(again.reports.map((report) => report.code)).toEqual(['torn_tail'])
  expect(await again.ids()).toEqual(['before'])
  await again.store.close()
})

test('behavior: batches concurrent calls into one sync, and each is on disk when it resolves', async () => {
  const { disk, openFile } = failingDisk()
  const { store } = await openOn(openFile)
  await Promise.all(
    Array.from({ length: 500 }, async (_, index) => {
      await store.append([anObservation({ id: `o${index}` })])
      if (index % 100 === 0) {
        expect(await readFile(join(scratch(), 'log', '00000001.ndjson'), 'utf8')).toContain(
          `"id":"o${index}"`,
        )
      }
    }),
  )
  expect(disk.syncs).toBeLessThan(5)
  await store.close()
})
