import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFile, chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { describeLedger } from '../testing/ledgerContract.ts'
import { aRequest } from '../testing/requests.ts'
import { createFileLedger, type FileLedger } from './fileLedger.ts'
import { verifyLedger } from './verifyLedger.ts'

let directory: string
let path: string
const limits = budgetLimits(parsePolicy({ maxPerDayUsd: '0.10', maxPerHostPerDayUsd: '0.10' }))

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ledger-'))
  path = join(directory, 'ledger.jsonl')
})
afterEach(() => rm(directory, { recursive: true }))

async function reserveMany(ledger: Awaited<ReturnType<typeof createFileLedger>>, count: number) {
  const distinct = Array.from({ length: count }, (_, index) =>
    aRequest({ call: `GET https://1n/x?${index}` }),
  )
  const results = await Promise.all(distinct.map((one) => ledger.reserve(one, limits)))
  return results.filter(({ ok }) => ok).length
}

const opened: FileLedger[] = []
const openAt = async (file: string): Promise<FileLedger> => {
  const ledger = await createFileLedger(file)
  opened.push(ledger)
  return ledger
}
let number = 0
describeLedger(
  'createFileLedger',
  () => openAt(join(directory, `${++number}.jsonl`)),
  // A second process would read the same file while the first is open.
  () => openAt(join(directory, `${number}.jsonl`)),
)
afterEach(async () => {
  for (const ledger of opened.splice(0)) await ledger.close()
})

describe('createFileLedger', () => {
  test('default: persists entries in a file of mode 600', async () => {
    const first = await createFileLedger(path)
    const reserved = await first.reserve(aRequest(), limits)
    if (!reserved.ok) throw new Error(reserved.code)
    await first.update(reserved.id, { state: 'sent', authorization: null })
    await first.update(reserved.id, { delivered: false })
    await first.close()
    const second = await createFileLedger(path)
    expect(second.totals()).toEqual(first.totals())
    expect(second.view(aRequest(), limits, Date.now())).toMatchObject({
      spentDay: 10_000n,
      struckUntil: expect.any(Number),
      pinnedReceiver: '0x01',
    })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    await second.close()
  })

  test('behavior: keeps signed payments in files of mode 600, apart from the lines', async () => {
    const ledger = await openAt(path)
    const reserved = await ledger.reserve(aRequest({ once: { body: '', callKey: '', payer: null } }), limits)
    if (!reserved.ok) throw new Error(reserved.code)
    const payment = { url: 'https://1n/x?secret', header: 'X-PAYMENT', value: 'c2lnbmVk' }
    await ledger.update(reserved.id, { state: 'sent', authorization: null, payment })
    const [file = ''] = await readdir(`${path}.payments`)
    expect((await stat(join(`${path}.payments`, file))).mode & 0o777).toBe(0o600)
    expect((await stat(`${path}.payments`)).mode & 0o777).toBe(0o700)
    expect(await readFile(path, 'utf8')).not.toMatch(/secret|c2lnbmVk/)
    await ledger.update(reserved.id, { answered: true })
    expect(await readdir(`${path}.payments`)).toEqual([])
  })

  test('behavior: reserves ten of 200 concurrent calls with budget for ten', async () => {
    const ledger = await createFileLedger(path)
    expect(await reserveMany(ledger, 200)).toBe(10)
    expect(ledger.totals().usdMicros).toBe(100_000n)
    await ledger.close()
  })

  test('behavior: shares one budget between two ledgers on one file', async () => {
    const ledgers = [await createFileLedger(path), await createFileLedger(path)]
    const counts = await Promise.all(ledgers.map((ledger) => reserveMany(ledger, 100)))
    expect(counts.reduce((sum, count) => sum + count)).toBe(10)
    for (const ledger of ledgers) {
      await ledger.refresh()
      expect(ledger.totals().usdMicros).toBe(100_000n)
      await ledger.close()
    }
    const third = await createFileLedger(path)
    expect(third.totals().usdMicros).toBe(100_000n)
    await third.close()
  })

  test('behavior: shares one budget between two processes', async () => {
    const counts = await Promise.all([1, 2].map(() => reserveInProcess(path, 100)))
    expect(counts.reduce((sum, count) => sum + count)).toBe(10)
    const ledger = await createFileLedger(path)
    expect(ledger.totals().usdMicros).toBe(100_000n)
    await ledger.close()
  })

  test('behavior: ignores a torn line and reads the lines after it', async () => {
    const first = await createFileLedger(path)
    await first.reserve(aRequest(), limits)
    await first.close()
    await appendFile(path, '\n{"type":"reserve","id":"x","request":{"at":')
    const second = await createFileLedger(path)
    await second.reserve(aRequest(), limits)
    await second.close()
    const third = await createFileLedger(path)
    expect(third.totals().usdMicros).toBe(20_000n)
    await third.close()
  })

  test('behavior: writes readable lines without secrets', async () => {
    const ledger = await createFileLedger(path)
    await ledger.reserve(aRequest(), limits)
    await ledger.close()
    const line = JSON.parse((await readFile(path, 'utf8')).trim())
    expect(line).toMatchObject({
      type: 'reserve',
      request: { host: 'a.example', amountAtomic: '10000' },
      prev: null,
    })
  })

  test.each([
    [
      'changed',
      (lines: string[]) => lines.map((line, index) => (index === 1 ? line.replace('10000', '1') : line)),
    ],
    ['removed', (lines: string[]) => lines.filter((_, index) => index !== 1)],
    ['moved', ([a = '', b = '', c = '']: string[]) => [b, a, c]],
    ['duplicated', ([a = '', b = '', c = '']: string[]) => [a, b, b, c]],
  ])('error: detects a line that was %s', async (_, tamper) => {
    const ledger = await createFileLedger(path)
    for (let index = 0; index < 3; index++) await ledger.reserve(aRequest(), limits)
    await ledger.close()
    const lines = (await readFile(path, 'utf8')).split('\n').filter(Boolean)
    expect(lines).toHaveLength(3)
    await writeFile(path, tamper(lines).join('\n\n').concat('\n'))
    await expect(createFileLedger(path)).rejects.toThrow('lines are missing from the file')
  })

  test('error: rejects a file that cannot be opened', async () => {
    await expect(createFileLedger(join(directory, 'no', 'where'))).rejects.toThrow(
      'cannot open the file (ENOENT)',
    )
  })

  /** Writes a ledger whose line is changed and hashed again, as an agent with access to the file could. */
  async function forge(change: (line: string) => string): Promise<void> {
    const ledger = await createFileLedger(path)
    await ledger.reserve(aRequest(), limits)
    await ledger.close()
    const line = (await readFile(path, 'utf8')).trim()
    const body = change(line.replace(/,"hash":"[0-9a-f]+"}$/, '}'))
    const hash = createHash('sha256').update(body).digest('hex')
    await writeFile(path, `${body.slice(0, -1)},"hash":"${hash}"}\n`)
  }

  test.each<[string, (line: string) => string, string]>([
    ['a negative amount', (line) => line.replace('"10000"', '"-10000"'), 'not a whole number'],
    [
      'a negative price',
      (line) => line.replace('{"$bigint":"10000"}', '{"$bigint":"-1"}'),
      'not a whole number',
    ],
    [
      'a price that is no text',
      (line) => line.replace('{"$bigint":"10000"}', '-10000'),
      'not a whole number',
    ],
  ])('error: refuses a line with %s, though its hash is right', async (_, change, reason) => {
    await forge(change)
    await expect(createFileLedger(path)).rejects.toThrow(new RegExp(`ledger ${path}: .*${reason}`))
    expect(await verifyLedger(path)).toMatchObject({
      ok: false,
      brokenIn: path,
      brokenAt: 1,
      reason: expect.stringContaining(reason),
    })
  })

  test.each([
    ['Markdown', '# Notes\n\nSome text.\n'],
    ['JSON', '{\n  "name": "guard"\n}\n'],
    ['the list of users', 'root:x:0:0:root:/root:/bin/bash'],
  ])('error: refuses %s as a ledger, and leaves the file as it is', async (_, text) => {
    await writeFile(path, text, { mode: 0o600 })
    await expect(createFileLedger(path)).rejects.toThrow(`ledger ${path}: not a ledger`)
    expect(await verifyLedger(path)).toMatchObject({ ok: false, brokenIn: path, reason: 'not a ledger' })
    expect(await readFile(path, 'utf8')).toBe(text)
  })

  test('error: refuses a symbolic link, a folder, and a file that every user can write', async () => {
    const ledger = await createFileLedger(path)
    await ledger.close()
    const link = join(directory, 'link.jsonl')
    await symlink(path, link)
    await chmod(path, 0o666)
    for (const open of [createFileLedger, verifyLedger]) {
      await expect(open(link)).rejects.toThrow(`ledger ${link}: is a symbolic link`)
      await expect(open(path)).rejects.toThrow(`ledger ${path}: every user can write the file`)
    }
    await expect(createFileLedger(directory)).rejects.toThrow(`ledger ${directory}: cannot open the file`)
  })

  test('error: refuses all reservations after a failed write', async () => {
    const ledger = await createFileLedger(path)
    await ledger.close()
    await expect(ledger.reserve(aRequest(), limits)).rejects.toThrow()
    await expect(ledger.reserve(aRequest(), limits)).rejects.toThrow('An earlier ledger write failed')
  })
})

/** Reserves in another process. Returns the number of successful reservations. */
function reserveInProcess(file: string, count: number): Promise<number> {
  const child = fork(new URL('../testing/reserveInProcess.ts', import.meta.url), [file, String(count)], {
    execArgv: ['--conditions=source', '--import', 'tsx'],
  })
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`exit ${code}`)))
  })
}
