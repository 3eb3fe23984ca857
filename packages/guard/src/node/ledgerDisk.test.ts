import fs, { type FileHandle, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createEvent } from '../events.ts'
import { useLedgerFile } from '../testing/ledgerFile.ts'
import { replaceBuiltin } from '../testing/replaceBuiltin.ts'
import type { FileLedger } from './fileLedger.ts'

const l = useLedgerFile()

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
  let isFirst = true
  replaceBuiltin(fs, 'link', (link) => async (...args: Parameters<typeof link>) => {
    if (isFirst) await suspend()
    return link(...args)
  })
  const suspend = async () => {
    isFirst = false
    granted += await l.spend(busy, 4)
    await busy.compact()
    granted += await l.spend(busy, 4)
    await rename(`${l.path}.1`, join(l.folder, 'archive.1'))
  }
  await slow.compact().catch(() => {})
  expect([isFirst, granted]).toEqual([false, 8])
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
    let fault: string | null = code
    replaceBuiltin(fs, 'readdir', (readdir) => async (path: string) => {
      if (fault !== null) throw Object.assign(new Error(fault), { code: fault })
      return readdir(path)
    })
    await expect(fs.readdir(l.folder)).rejects.toThrow(code)
    const again = await l.open().catch(() => null)
    fault = null
    expect(again && (await l.spend(again, 1))).not.toBe(1)
    // Nor is the sound one refused from then on.
    expect((await l.open()).totals().usdMicros).toBe(100_000n)
  },
)

test('error: a ledger whose write has failed closes its file nevertheless', async () => {
  const opened: FileHandle[] = []
  replaceBuiltin(fs, 'open', (open) => async (...args: Parameters<typeof open>) => {
    const file = await open(...args)
    opened.push(file)
    return file
  })
  const ledger = await l.open()
  const [file] = opened
  vi.spyOn(file as FileHandle, 'write').mockRejectedValue(new Error('ENOSPC'))
  await expect(l.reserve(ledger)).rejects.toThrow('ENOSPC')
  await expect(ledger.close()).rejects.toThrow('An earlier ledger write failed')
  expect(file?.fd).toBe(-1)
})
