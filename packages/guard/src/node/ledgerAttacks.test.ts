import { copyFile, mkdtemp, readdir, rename, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { aRequest } from '../testing/requests.ts'
import { createFileLedger, type FileLedger } from './fileLedger.ts'

// Ten cents, of which each reservation takes one.
const limits = budgetLimits(
  parsePolicy({ maxPerDayUsd: '0.10', maxPerHostPerDayUsd: '0.10', velocity: { perHostPerMinute: 1000 } }),
)
let folder: string
let path: string
let opened: FileLedger[]
let call = 0

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attack-'))
  path = join(folder, 'spending.jsonl')
  opened = []
})
afterEach(async () => {
  for (const ledger of opened) await ledger.close().catch(() => {})
  await rm(folder, { recursive: true })
})

const open = async () => {
  const ledger = await createFileLedger(path)
  opened.push(ledger)
  return ledger
}
const reserve = (ledger: FileLedger) => ledger.reserve(aRequest({ call: `GET ${++call}` }), limits)
const spend = async (ledger: FileLedger, cents: number) => {
  for (let count = 0; count < cents; count++) expect(await reserve(ledger)).toMatchObject({ ok: true })
}

describe('attacks by the disk', () => {
  test('behavior: a process that slept over two rotations goes on with the last file, not with a new second one', async () => {
    const idle = await open()
    const busy = await open()
    await spend(busy, 4)
    await busy.compact()
    await spend(busy, 4)
    await busy.compact()
    await spend(busy, 2)
    // Both are sealed, and may be moved away.
    await rename(path, join(folder, 'archive.0'))
    await rename(`${path}.1`, join(folder, 'archive.1'))
    const results = []
    for (let count = 0; count < 8; count++) results.push(await reserve(idle).catch((e: Error) => e.message))
    expect(results.filter((one) => typeof one !== 'string' && one.ok)).toEqual([])
    expect(await readdir(folder)).not.toContain('spending.jsonl.1')
  })

  test('behavior: a ledger whose second file was moved away while a process slept still opens', async () => {
    const idle = await open()
    const busy = await open()
    await spend(busy, 4)
    await busy.compact()
    await spend(busy, 1)
    await busy.compact()
    await spend(busy, 1)
    await rename(`${path}.1`, join(folder, 'archive.1'))
    await reserve(idle).catch(() => {})
    expect((await open()).totals().usdMicros).toBeGreaterThanOrEqual(60_000n)
  })

  test.each([0, 100])(
    'behavior: a later file without its snapshot (%d bytes) is refused, also when the one before is archived',
    async (size) => {
      const ledger = await open()
      await spend(ledger, 10)
      await ledger.compact()
      await ledger.close()
      opened = []
      await rename(path, join(folder, 'archive.0'))
      await truncate(`${path}.1`, size)
      const again = await open().catch((error: Error) => error.message)
      expect(again).toEqual(expect.stringContaining('spending.jsonl.1'))
    },
  )

  test('behavior: a copy put in place of the file gets no reservation that only the moved file holds', async () => {
    const ledger = await open()
    await spend(ledger, 2)
    // An administrator moves the folder's content: mv, then cp -a back.
    await rename(path, `${path}.old`)
    await copyFile(`${path}.old`, path)
    const first = await Promise.all(Array.from({ length: 8 }, () => reserve(ledger).catch(() => null)))
    const other = await open()
    const second = await Promise.all(Array.from({ length: 8 }, () => reserve(other).catch(() => null)))
    const granted = [...first, ...second].filter((one) => one?.ok).length
    expect(granted + 2).toBeLessThanOrEqual(10)
  })

  test('behavior: four users, rotations at the same time and sealed files that go away grant just the budget', async () => {
    const users = await Promise.all([open(), open(), open(), open()])
    let granted = 0
    const errors: string[] = []
    for (let round = 0; round < 25; round++) {
      await Promise.all(
        users.map(async (user, index) => {
          // One user sleeps most of the time.
          if (index === 3 && round % 8 !== 7) return
          const result = await reserve(user).catch((error: Error) => error.message)
          if (typeof result === 'string') errors.push(result)
          else if (result.ok) granted += 1
          if (round % 3 === index) await user.compact().catch((error: Error) => errors.push(error.message))
        }),
      )
      if (round % 4 !== 3) continue
      const names = (await readdir(folder)).filter((name) => /^spending\.jsonl(\.\d+)?$/.test(name))
      const numberOf = (name: string) => Number(name.split('.')[2] ?? 0)
      const sealed = names.toSorted((a, b) => numberOf(a) - numberOf(b)).slice(0, -1)
      for (const name of sealed) await rename(join(folder, name), join(folder, `archive.${name}`))
    }
    expect(errors).toEqual([])
    expect(granted).toBe(10)
    expect((await open()).totals().usdMicros).toBe(100_000n)
  })

  test('behavior: a signature does not leave by a reservation whose file is gone', async () => {
    const ledger = await open()
    const reserved = await reserve(ledger)
    if (!reserved.ok) throw new Error(reserved.code)
    await rm(path)
    const authorization = { from: '0x1', nonce: '0x2', validBefore: '1' }
    await expect(ledger.update(reserved.id, { state: 'handedOut', authorization })).rejects.toThrow()
  })
})
