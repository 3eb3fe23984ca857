import { copyFile, cp, mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { aRequest } from '../testing/requests.ts'
import { createFileLedger, type FileLedger } from './fileLedger.ts'

// Ten cents, of which each reservation takes one.
const limits = budgetLimits(parsePolicy({ maxPerDayUsd: '0.10', maxPerHostPerDayUsd: '0.10' }))
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
  for (const ledger of opened) await ledger.close()
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
