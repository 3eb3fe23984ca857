import { copyFile, cp, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
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
  folder = await mkdtemp(join(tmpdir(), 'place-'))
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

describe('a ledger that is open', () => {
  test.each<[string, () => Promise<unknown>, string]>([
    ['deleted', () => rm(path), 'no file is there now'],
    ['renamed', () => rename(path, `${path}.old`), 'no file is there now'],
    ['deleted and begun anew', () => rm(path).then(() => writeFile(path, '', { mode: 0o600 })), 'lacks them'],
    ['truncated', () => truncate(path, 100), 'it has shrunk to 100 bytes'],
  ])(
    'error: pays no more once its file is %s, and says what was opened and what is there',
    async (_, change, fact) => {
      const ledger = await open()
      await spend(ledger, 8)
      await change()
      const refusal = await reserve(ledger).catch((error: Error) => error.message)
      expect(refusal).toContain(`ledger ${path}: 8 lines in `)
      expect(refusal).toContain(fact)
      expect(refusal).toContain('ledger verify')
    },
  )

  test('error: pays no more once an older copy of its file is restored', async () => {
    const ledger = await open()
    await spend(ledger, 2)
    await copyFile(path, `${path}.copy`)
    await spend(ledger, 8)
    await rename(`${path}.copy`, path)
    await expect(reserve(ledger)).rejects.toThrow('lacks them')
  })

  test('behavior: refuses a copy of its file while it is open, and goes on once the file is put back', async () => {
    const ledger = await open()
    await spend(ledger, 2)
    await rename(path, `${path}.old`)
    await expect(reserve(ledger)).rejects.toThrow('no file is there now')
    await copyFile(`${path}.old`, path)
    await expect(reserve(ledger)).rejects.toThrow('lacks them')
    await rename(`${path}.old`, path)
    await spend(ledger, 2)
    // The one that was written while the copy was there counts until it lapses.
    expect(ledger.totals().usdMicros).toBe(50_000n)
  })

  test('behavior: a copy at the same place is the ledger once it is opened anew, as after a move to another disk', async () => {
    const ledger = await createFileLedger(path)
    await spend(ledger, 2)
    await ledger.close()
    await copyFile(path, `${path}.copy`)
    await rename(`${path}.copy`, path)
    const moved = await open()
    await spend(moved, 1)
    expect(moved.totals().usdMicros).toBe(30_000n)
  })
})

describe('the files of a ledger', () => {
  test('error: a copy by a back-up name gives no second budget, and is refused by name', async () => {
    const ledger = await open()
    await spend(ledger, 10)
    await copyFile(path, `${path}.1`)
    await expect(open()).rejects.toThrow(
      `ledger ${path}.1: it does not continue ${path}; a copy needs another name`,
    )
  })

  test('error: a copy of a later file is refused under the next number, and under another one', async () => {
    const ledger = await open()
    await spend(ledger, 3)
    await ledger.compact()
    for (const name of [`${path}.2`, `${path}.7`]) {
      await copyFile(`${path}.1`, name)
      await expect(open()).rejects.toThrow(`ledger ${name}: it does not continue`)
      await rm(name)
    }
  })

  test('error: the file of another ledger does not continue this one', async () => {
    await spend(await open(), 9)
    const other = await createFileLedger(join(folder, 'other.jsonl'))
    await other.compact()
    await other.close()
    await cp(join(folder, 'other.jsonl.1'), `${path}.1`)
    await expect(open()).rejects.toThrow('which was not sealed for it')
  })

  test('behavior: a sealed file may be archived', async () => {
    const ledger = await open()
    await spend(ledger, 3)
    await ledger.compact()
    await rename(path, join(folder, 'archived'))
    await spend(ledger, 1)
    expect((await open()).totals().usdMicros).toBe(40_000n)
    expect(await readFile(`${path}.1`, 'utf8')).toContain('"number":1')
  })
})

describe('several programs that share a ledger while its files move', () => {
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
