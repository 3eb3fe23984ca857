import { copyFile, cp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useLedgerFile } from '../testing/ledgerFile.ts'
import { createFileLedger } from './fileLedger.ts'

const l = useLedgerFile()

describe('a ledger that is open', () => {
  test.each<[string, () => Promise<unknown>, string]>([
    ['deleted', () => rm(l.path), 'no file is there now'],
    ['renamed', () => rename(l.path, `${l.path}.old`), 'no file is there now'],
    [
      'deleted and begun anew',
      () => rm(l.path).then(() => writeFile(l.path, '', { mode: 0o600 })),
      'lacks them',
    ],
    ['truncated', () => truncate(l.path, 100), 'it has shrunk to 100 bytes'],
  ])(
    'error: pays no more once its file is %s, and says what was opened and what is there',
    async (_, change, fact) => {
      const ledger = await l.open()
      expect(await l.spend(ledger, 8)).toBe(8)
      await change()
      const refusal = await l.reserve(ledger).catch((error: Error) => error.message)
      expect(refusal).toContain(`ledger ${l.path}: 8 lines in `)
      expect(refusal).toContain(fact)
      expect(refusal).toContain('ledger verify')
    },
  )

  test('error: pays no more once an older copy of its file is restored', async () => {
    const ledger = await l.open()
    expect(await l.spend(ledger, 2)).toBe(2)
    await copyFile(l.path, `${l.path}.copy`)
    expect(await l.spend(ledger, 8)).toBe(8)
    await rename(`${l.path}.copy`, l.path)
    await expect(l.reserve(ledger)).rejects.toThrow('lacks them')
  })

  test('behavior: refuses a copy of its file while it is open, and goes on once the file is put back', async () => {
    const ledger = await l.open()
    expect(await l.spend(ledger, 2)).toBe(2)
    await rename(l.path, `${l.path}.old`)
    await expect(l.reserve(ledger)).rejects.toThrow('no file is there now')
    await copyFile(`${l.path}.old`, l.path)
    await expect(l.reserve(ledger)).rejects.toThrow('lacks them')
    await rename(`${l.path}.old`, l.path)
    expect(await l.spend(ledger, 2)).toBe(2)
    // The one that was written while the copy was there counts until it lapses.
    expect(ledger.totals().usdMicros).toBe(50_000n)
  })

  test('behavior: a copy at the same place is the ledger once it is opened anew, as after a move to another disk', async () => {
    const ledger = await createFileLedger(l.path)
    expect(await l.spend(ledger, 2)).toBe(2)
    await ledger.close()
    await copyFile(l.path, `${l.path}.copy`)
    await rename(`${l.path}.copy`, l.path)
    const moved = await l.open()
    expect(await l.spend(moved, 1)).toBe(1)
    expect(moved.totals().usdMicros).toBe(30_000n)
  })
})

describe('the files of a ledger', () => {
  test('error: a copy by a back-up name gives no second budget, and is refused by name', async () => {
    const ledger = await l.open()
    expect(await l.spend(ledger, 10)).toBe(10)
    await copyFile(l.path, `${l.path}.1`)
    await expect(l.open()).rejects.toThrow(
      `ledger ${l.path}.1: it does not continue ${l.path}; a copy needs another name`,
    )
  })

  test('error: a copy of a later file is refused under the next number, and under another one', async () => {
    const ledger = await l.open()
    expect(await l.spend(ledger, 3)).toBe(3)
    await ledger.compact()
    for (const name of [`${l.path}.2`, `${l.path}.7`]) {
      await copyFile(`${l.path}.1`, name)
      await expect(l.open()).rejects.toThrow(`ledger ${name}: it does not continue`)
      await rm(name)
    }
  })

  test('error: the file of another ledger does not continue this one', async () => {
    expect(await l.spend(await l.open(), 9)).toBe(9)
    const other = await createFileLedger(join(l.folder, 'other.jsonl'))
    await other.compact()
    await other.close()
    await cp(join(l.folder, 'other.jsonl.1'), `${l.path}.1`)
    await expect(l.open()).rejects.toThrow('which was not sealed for it')
  })

  test('behavior: a sealed file may be archived', async () => {
    const ledger = await l.open()
    expect(await l.spend(ledger, 3)).toBe(3)
    await ledger.compact()
    await rename(l.path, join(l.folder, 'archived'))
    expect(await l.spend(ledger, 1)).toBe(1)
    expect((await l.open()).totals().usdMicros).toBe(40_000n)
    expect(await readFile(`${l.path}.1`, 'utf8')).toContain('"number":1')
  })
})

describe('several programs that share a ledger while its files move', () => {
  test('behavior: a process that slept over two rotations goes on with the last file, not with a new second one', async () => {
    const idle = await l.open()
    const busy = await l.open()
    expect(await l.spend(busy, 4)).toBe(4)
    await busy.compact()
    expect(await l.spend(busy, 4)).toBe(4)
    await busy.compact()
    expect(await l.spend(busy, 2)).toBe(2)
    // Both are sealed, and may be moved away.
    await rename(l.path, join(l.folder, 'archive.0'))
    await rename(`${l.path}.1`, join(l.folder, 'archive.1'))
    const results = []
    for (let count = 0; count < 8; count++) results.push(await l.reserve(idle).catch((e: Error) => e.message))
    expect(results.filter((one) => typeof one !== 'string' && one.ok)).toEqual([])
    expect(await readdir(l.folder)).not.toContain('spending.jsonl.1')
  })

  test('behavior: a ledger whose second file was moved away while a process slept still opens', async () => {
    const idle = await l.open()
    const busy = await l.open()
    expect(await l.spend(busy, 4)).toBe(4)
    await busy.compact()
    expect(await l.spend(busy, 1)).toBe(1)
    await busy.compact()
    expect(await l.spend(busy, 1)).toBe(1)
    await rename(`${l.path}.1`, join(l.folder, 'archive.1'))
    await l.reserve(idle).catch(() => {})
    expect((await l.open()).totals().usdMicros).toBeGreaterThanOrEqual(60_000n)
  })

  test.each([0, 100])(
    'behavior: a later file without its snapshot (%d bytes) is refused, also when the one before is archived',
    async (size) => {
      const ledger = await l.open()
      expect(await l.spend(ledger, 10)).toBe(10)
      await ledger.compact()
      await ledger.close()
      await rename(l.path, join(l.folder, 'archive.0'))
      await truncate(`${l.path}.1`, size)
      const again = await l.open().catch((error: Error) => error.message)
      expect(again).toEqual(expect.stringContaining('spending.jsonl.1'))
    },
  )

  test('behavior: a copy put in place of the file gets no reservation that only the moved file holds', async () => {
    const ledger = await l.open()
    expect(await l.spend(ledger, 2)).toBe(2)
    // An administrator moves the folder's content: mv, then cp -a back.
    await rename(l.path, `${l.path}.old`)
    await copyFile(`${l.path}.old`, l.path)
    const first = await Promise.all(Array.from({ length: 8 }, () => l.reserve(ledger).catch(() => null)))
    const other = await l.open()
    const second = await Promise.all(Array.from({ length: 8 }, () => l.reserve(other).catch(() => null)))
    const granted = [...first, ...second].filter((one) => one?.ok).length
    expect(granted + 2).toBeLessThanOrEqual(10)
  })

  test('behavior: four users, rotations at the same time and sealed files that go away grant just the budget', async () => {
    const users = await Promise.all([l.open(), l.open(), l.open(), l.open()])
    let granted = 0
    const errors: string[] = []
    for (let round = 0; round < 25; round++) {
      await Promise.all(
        users.map(async (user, index) => {
          // One user sleeps most of the time.
          if (index === 3 && round % 8 !== 7) return
          const result = await l.reserve(user).catch((error: Error) => error.message)
          if (typeof result === 'string') errors.push(result)
          else if (result.ok) granted += 1
          if (round % 3 === index) await user.compact().catch((error: Error) => errors.push(error.message))
        }),
      )
      if (round % 4 !== 3) continue
      const names = (await readdir(l.folder)).filter((name) => /^spending\.jsonl(\.\d+)?$/.test(name))
      const numberOf = (name: string) => Number(name.split('.')[2] ?? 0)
      const sealed = names.toSorted((a, b) => numberOf(a) - numberOf(b)).slice(0, -1)
      for (const name of sealed) await rename(join(l.folder, name), join(l.folder, `archive.${name}`))
    }
    expect(errors).toEqual([])
    expect(granted).toBe(10)
    expect((await l.open()).totals().usdMicros).toBe(100_000n)
  })

  test('behavior: a signature does not leave by a reservation whose file is gone', async () => {
    const ledger = await l.open()
    const reserved = await l.reserve(ledger)
    if (!reserved.ok) throw new Error(reserved.code)
    await rm(l.path)
    const authorization = { from: '0x1', nonce: '0x2', validBefore: '1' }
    await expect(ledger.update(reserved.id, { state: 'handedOut', authorization })).rejects.toThrow()
  })
})
