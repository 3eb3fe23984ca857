import { type FileHandle, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { createEvent } from '../events.ts'
import { useLedgerFile } from '../testing/ledgerFile.ts'
import type { FileLedger } from './fileLedger.ts'

/** What the disk does: fails to list folders, runs something once before it links a file, and shows what was opened. */
const disk: { fault: string | null; beforeLink: (() => Promise<void>) | null; opened: FileHandle[] } = {
  fault: null,
  beforeLink: null,
  opened: [],
}
vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>()
  return {
    ...real,
    async readdir(path: string) {
      if (disk.fault !== null) throw Object.assign(new Error(disk.fault), { code: disk.fault })
      return real.readdir(path)
    },
    async open(...args: Parameters<typeof real.open>) {
      const file = await real.open(...args)
      disk.opened.push(file)
      return file
    },
    async link(...args: Parameters<typeof real.link>) {
      const run = disk.beforeLink
      disk.beforeLink = null
      await run?.()
      return real.link(...args)
    },
  }
})

const l = useLedgerFile()
afterEach(() => {
  disk.fault = null
  disk.opened = []
})

test.each<[string, (ledger: FileLedger, last: string) => unknown]>([
  [
    'an event',
    (ledger) =>
      ledger.note(
        createEvent({ type: 'refused', code: 'URL_INVALID', endpoint: 'https://a.example' }, Date.now()),
      ),
  ],
  ['an update', (ledger, last) => ledger.update(last, { state: 'unsigned' })],
  [
    'a reservation, after another program went on with it,',
    async (ledger) => {
      await l.spend(await l.open(), 4)
      await l.reserve(ledger)
    },
  ],
])(
  'error: %s of a program that has the file open does not break a back-up that is copied over it',
  async (_, write) => {
    const ledger = await l.open()
    await l.spend(ledger, 1)
    const backUp = await readFile(l.path)
    await l.spend(ledger, 1)
    const last = await l.reserve(ledger)
    // As `cp` does: the file keeps its number.
    await writeFile(l.path, backUp)
    try {
      await write(ledger, last?.ok ? last.id : '')
      await ledger.refresh()
    } catch {
      // It may refuse.
    }
    expect((await l.open()).totals().usdMicros).toBeGreaterThanOrEqual(10_000n)
  },
)

test('error: many lines after a seal do not hide it', async () => {
  const [busy, other] = [await l.open(), await l.open()]
  await busy.compact()
  const endpoint = `https://a.example/${'x'.repeat(2000)}`
  // In one write, for the file that was sealed meanwhile.
  await Promise.all(
    Array.from({ length: 400 }, (_, nth) => l.reserve(other, { endpoint, call: `GET ${endpoint}?${nth}` })),
  )
  expect((await l.open()).totals().usdMicros).toBe(100_000n)
})

test('error: a process that was suspended while it began the next file does not fork the ledger', async () => {
  const [slow, busy] = [await l.open(), await l.open()]
  let granted = 0
  disk.beforeLink = async () => {
    granted += await l.spend(busy, 4)
    await busy.compact()
    granted += await l.spend(busy, 4)
    await rename(`${l.path}.1`, join(l.folder, 'archive.1'))
  }
  await slow.compact().catch(() => {})
  granted += await l.spend(slow, 12)
  granted += await l.spend(busy, 12)
  expect(granted).toBe(10)
  expect((await l.open()).totals().usdMicros).toBe(100_000n)
})

// Too many open files; a folder that may be entered and not listed.
test.each(['EMFILE', 'EACCES'])(
  'error: a folder that cannot be listed (%s) begins no new ledger',
  async (code) => {
    const first = await l.open()
    await l.spend(first, 10)
    await first.compact()
    await rename(l.path, join(l.folder, 'archive.0'))
    disk.fault = code
    const again = await l.open().catch(() => null)
    disk.fault = null
    expect(again && (await l.spend(again, 1))).not.toBe(1)
    // Nor is the sound one refused from then on.
    expect((await l.open()).totals().usdMicros).toBe(100_000n)
  },
)

test('error: a ledger whose write has failed closes its file nevertheless', async () => {
  const ledger = await l.open()
  const [file] = disk.opened
  vi.spyOn(file as FileHandle, 'write').mockRejectedValue(new Error('ENOSPC'))
  await expect(l.reserve(ledger)).rejects.toThrow('ENOSPC')
  await expect(ledger.close()).rejects.toThrow('An earlier ledger write failed')
  expect(file?.fd).toBe(-1)
})
