import { createHash } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import facts from '../testing/format1/facts.json' with { type: 'json' }
import { aRequest } from '../testing/requests.ts'
import { createFileLedger } from './fileLedger.ts'
import { verifyLedger } from './verifyLedger.ts'

// Two files that version 0.1.0 wrote, with payments in each state, and what that version said of them.
const FOLDER = new URL('../testing/format1/', import.meta.url)
const AT = 1_790_000_060_000
const limits = budgetLimits(parsePolicy({ maxPerDayUsd: '10', maxPerHostPerDayUsd: '5' }))

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'format1-'))
  path = join(folder, 'ledger.jsonl')
  for (const name of ['ledger.jsonl', 'ledger.jsonl.1']) await cp(new URL(name, FOLDER), join(folder, name))
})
afterEach(() => rm(folder, { recursive: true }))

const plain = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (_, one) =>
      typeof one === 'bigint' ? `${one}` : one instanceof Map ? Object.fromEntries(one) : one,
    ),
  )

test('default: a ledger of format 1 opens with the sums, strikes, pins and unresolved payments that it had, and goes on', async () => {
  const ledger = await createFileLedger(path)
  const { totals, summary, strikes, pins, pending } = facts
  expect(plain(ledger.totals())).toEqual(totals)
  expect(plain(ledger.summary(AT))).toEqual(summary)
  expect(ledger.strikes()).toEqual(strikes)
  expect(ledger.pins().toSorted((a, b) => (a.endpoint < b.endpoint ? -1 : 1))).toEqual(pins)
  expect(ledger.pending().map(({ id }) => id)).toEqual(pending)
  expect(ledger.pending()[0]).toMatchObject({ agent: null, until: expect.any(Number) })
  const request = aRequest({ at: AT, call: 'GET https://a.example/new' })
  const reserved = await ledger.reserve(request, limits)
  expect(reserved).toMatchObject({ ok: true })
  await ledger.compact()
  await ledger.close()
  const again = await createFileLedger(path)
  expect(again.totals().usdMicros).toBe(BigInt(totals.usdMicros) + 10_000n)
  await again.close()
  expect(await verifyLedger(path)).toMatchObject({ ok: true, files: 3, unreadable: 0 })
})

test('error: a file of format 1 that is not the state at the seal before is detected', async () => {
  const text = await readFile(`${path}.1`, 'utf8')
  const [first = '', ...rest] = text.split('\n').filter(Boolean)
  const body = first
    .replace(/"total":\{"\$bigint":"\d+"\}/, '"total":{"$bigint":"0"}')
    .replace(/,"hash":"\w+"\}$/, '}')
  await writeFile(`${path}.1`, [sign(body), ...rest, ''].join('\n'))
  expect(await verifyLedger(path)).toMatchObject({ ok: false, brokenIn: `${path}.1` })
})

test('behavior: a snapshot of the first ledgers, which names faulty endpoints alone, opens', async () => {
  const chain = '"writer":"snapshot","prev":null,"seen":null}'
  const seal = sign(`{"type":"seal",${chain}`)
  const after = seal.slice(-66, -2)
  const sums =
    '"total":{"$bigint":"0"},"byAsset":[],"byTask":[],"recent":[],"older":[],"pending":[],"pins":[]'
  const sellers = '"strikes":[],"faulty":["https://api.example.com/x"],"deliveries":[],"prices":[]'
  await writeFile(path, `${seal}\n`, { mode: 0o600 })
  await writeFile(
    `${path}.1`,
    `${sign(`{"type":"snapshot","after":"${after}","snapshot":{${sums},${sellers}},${chain}`)}\n`,
    { mode: 0o600 },
  )
  const ledger = await createFileLedger(path)
  expect(ledger.totals().usdMicros).toBe(0n)
  await ledger.close()
})

describe('a ledger of format 1 that was rotated', () => {
  // Payments of a.example to d.example within minutes: unresolved, delivered, given up, and signed but not sent. The
  // file was sealed, one more payment followed a day later, as a.example had left the day, and it was sealed again.
  const NAMES = ['older.jsonl', 'older.jsonl.1', 'older.jsonl.2']
  const START = 1_790_000_000_000
  const DAY_MS = 86_400_000
  beforeEach(async () => {
    path = join(folder, 'older.jsonl')
    for (const name of NAMES) await cp(new URL(`older/${name}`, FOLDER), join(folder, name))
  })

  test('behavior: is whole, though its version dropped payments sooner', async () => {
    expect(await verifyLedger(path)).toMatchObject({ ok: true, files: 3, lines: 24 })
  })

  test('behavior: a payment that was signed and not sent in the end pins no receiver and is no price', async () => {
    for (const name of NAMES.slice(1)) await rm(join(folder, name))
    const text = await readFile(path, 'utf8')
    await writeFile(
      path,
      text
        .split('\n')
        .filter((line) => !line.includes('"type":"seal"'))
        .join('\n'),
    )
    const ledger = await createFileLedger(path)
    expect(ledger.pins().map(({ endpoint }) => endpoint)).toEqual(
      ['a', 'b', 'c'].map((name) => `https://${name}.example/x`),
    )
    const { usual } = ledger.view({ ...aRequest(), endpoint: 'https://d.example/x' }, limits, START)
    expect(usual).toBeNull()
    await ledger.close()
  })

  test('behavior: a payment that left the day before its neighbours is released, and the ledger goes on', async () => {
    const ledger = await createFileLedger(path)
    const [entry] = ledger.pending()
    expect(entry).toMatchObject({ host: 'a.example', until: START / 1000 + 60 })
    const at = START + 2 * DAY_MS
    expect(await ledger.reserve(aRequest({ at }), limits)).toMatchObject({ ok: true })
    await ledger.update(entry?.id ?? '', { state: 'unused', proof: { at, block: '9', timestamp: at / 1000 } })
    await ledger.compact()
    await ledger.close()
    const again = await createFileLedger(path)
    expect(again.totals().usdMicros).toBe(40_000n)
    await again.close()
    expect(await verifyLedger(path)).toMatchObject({ ok: true, files: 4 })
  })
})

test('default: a rotated ledger of format 2 is whole, and its prices count, though it does not say when they were paid', async () => {
  const folder2 = new URL('../testing/format2/', import.meta.url)
  path = join(folder, 'second.jsonl')
  for (const end of ['', '.1', '.2']) await cp(new URL(`ledger.jsonl${end}`, folder2), `${path}${end}`)
  expect(await verifyLedger(path)).toMatchObject({ ok: true, files: 3, unreadable: 0 })
  const ledger = await createFileLedger(path)
  expect(ledger.totals().usdMicros).toBe(90_000n)
  const seen = ledger.view({ ...aRequest(), endpoint: 'https://a.example/dear' }, limits, 1_790_000_005_000)
  expect(seen).toMatchObject({
    usual: { usdMicros: 50_000n, at: null },
    dearestAtHost: { usdMicros: 10_000n, at: null },
    deliveries: 3,
  })
  await ledger.compact()
  await ledger.close()
  expect(await verifyLedger(path)).toMatchObject({ ok: true, files: 4, unreadable: 0 })
})

test('error: a ledger of a newer format is refused by name, and an older version refuses that of today', async () => {
  await rm(`${path}.1`)
  await writeFile(path, `${sign('{"format":4,"type":"seal","writer":"a","prev":null,"seen":null}')}\n`, {
    mode: 0o600,
  })
  await expect(createFileLedger(path)).rejects.toThrow(
    'it is of format 4, which needs a newer version of the guard',
  )
  await rm(path)
  const ledger = await createFileLedger(path)
  await ledger.reserve(aRequest(), limits)
  await ledger.close()
  // Version 0.1.0 refuses a line that does not begin with its type.
  for (const line of (await readFile(path, 'utf8')).split('\n').filter(Boolean))
    expect(line).not.toMatch(/^\{"type":"/)
})

/** Adds the hash of a line. */
function sign(body: string): string {
  return `${body.slice(0, -1)},"hash":"${createHash('sha256').update(body).digest('hex')}"}`
}

test.each([
  ['a receiver', /"pins":\[\[/, '"pins":[["https://never.example/x eip155:8453 0xa5","0xEE"],['],
  ['a delivery', /"deliveries":\[/, '"deliveries":[["never.example 0xee",9],'],
  ['a sum of the past', /"past":\[/, '"past":[[1,[["day",{"$bigint":"1"}]]],'],
])('error: a snapshot of format 2 that claims %s which was not, is detected', async (_, what, claim) => {
  const folder2 = new URL('../testing/format2/', import.meta.url)
  path = join(folder, 'second.jsonl')
  // Without the lines after it, whose chain would tell.
  for (const end of ['', '.1']) await cp(new URL(`ledger.jsonl${end}`, folder2), `${path}${end}`)
  const [first = ''] = (await readFile(`${path}.1`, 'utf8')).split('\n')
  await writeFile(`${path}.1`, `${first}\n`)
  expect(await verifyLedger(path)).toMatchObject({ ok: true, files: 2 })
  expect(first).toMatch(what)
  const body = first
    .replace(what, claim)
    .replace(',]', ']')
    .replace(/,"hash":"\w+"\}$/, '}')
  await writeFile(`${path}.1`, `${sign(body)}\n`)
  expect(await verifyLedger(path)).toMatchObject({ ok: false, brokenIn: `${path}.1` })
})
