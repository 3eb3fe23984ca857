import { type ChildProcess, fork } from 'node:child_process'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { aProof, aRequest } from '../testing/requests.ts'
import { HONEST } from '../testing/seller.ts'
import { createFileLedger, type FileLedger } from './fileLedger.ts'
import { verifyLedger } from './verifyLedger.ts'

const limits = budgetLimits(parsePolicy({ maxPerDayUsd: '0.10', maxPerHostPerDayUsd: '0.10' }))
const authorization = { from: HONEST, nonce: `0x${'0a'.repeat(32)}`, validBefore: '1700000060' }
let directory: string
let path: string
let opened: FileLedger[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ledger-'))
  path = join(directory, 'ledger.jsonl')
  opened = []
})
afterEach(async () => {
  for (const ledger of opened) await ledger.close()
  await rm(directory, { recursive: true })
})

async function open(): Promise<FileLedger> {
  const ledger = await createFileLedger(path)
  opened.push(ledger)
  return ledger
}

const files = async () => (await readdir(directory)).filter((name) => !name.endsWith('.payments')).toSorted()
const reserve = async (ledger: FileLedger, change = {}) => {
  const result = await ledger.reserve(aRequest(change), limits)
  return result.ok ? result.id : result.code
}

describe('compaction', () => {
  test('default: keeps sums, pins, strikes, tasks and unresolved payments of any age', async () => {
    const ledger = await open()
    const old = { at: Date.now() - 3 * 86_400_000, once: { body: '', callKey: '', payer: null } }
    const pending = await reserve(ledger, old)
    const payment = { url: 'https://a.example/x', header: 'X-PAYMENT', value: 'c2lnbmVk' }
    await ledger.update(pending, { state: 'sent', authorization, payment })
    await ledger.update(await reserve(ledger, { task: 'report', isVouched: false, call: 'GET y' }), {
      delivered: false,
    })
    const before = [
      ledger.totals(),
      ledger.summary(Date.now()),
      ledger.strikes(),
      ledger.pins(),
      ledger.pending(),
    ]
    await ledger.compact()
    expect(await files()).toEqual(['ledger.jsonl', 'ledger.jsonl.1'])
    for (const one of [ledger, await open()]) {
      const after = [one.totals(), one.summary(Date.now()), one.strikes(), one.pins(), one.pending()]
      expect(after).toEqual(before)
      expect(await reserve(one, old)).toBe('PAYMENT_PENDING')
      expect(await one.readPayment(pending)).toEqual(payment)
      expect(one.view(aRequest({ task: 'report' }), limits, Date.now())).toMatchObject({
        spentTask: 10_000n,
        spentUnknownDay: 10_000n,
      })
    }
    await ledger.update(pending, { state: 'unused', proof: aProof(1_700_000_060) })
    expect(ledger.totals().usdMicros).toBe(10_000n)
    expect(await verifyLedger(path)).toMatchObject({ ok: true, files: 2, writers: 2 })
  })

  test('behavior: processes that share the ledger move on and keep one budget', async () => {
    const ledgers = [await open(), await open()]
    const results = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const ledger = ledgers[index % 2] as FileLedger
        if (index % 15 === 7) await ledger.compact()
        return ledger.reserve(aRequest({ call: `GET ${index}` }), limits)
      }),
    )
    expect(results.filter(({ ok }) => ok)).toHaveLength(10)
    for (const ledger of ledgers) {
      await ledger.refresh()
      expect(ledger.totals().usdMicros).toBe(100_000n)
    }
    expect((await files()).length).toBeGreaterThan(1)
    expect(await verifyLedger(path)).toMatchObject({ ok: true, unreadable: 0 })
  })

  test('behavior: a line that was written after the seal is void there and counts in the next file', async () => {
    const [first, second] = [await open(), await open()]
    await first.compact()
    expect(await reserve(second)).toMatch(/-1$/)
    await first.refresh()
    expect(first.totals().usdMicros).toBe(10_000n)
    expect((await open()).totals().usdMicros).toBe(10_000n)
    expect(await readFile(`${path}.1`, 'utf8')).toContain('"type":"reserve"')
  })

  test('behavior: completes a rotation that was interrupted after the seal', async () => {
    const first = await open()
    await reserve(first)
    await first.compact()
    await first.close()
    opened.shift()
    await rm(`${path}.1`)
    await writeFile(`${path}.1.abc.tmp`, '{"type":"snap')
    const second = await open()
    expect(await reserve(second)).toMatch(/-1$/)
    expect(second.totals().usdMicros).toBe(20_000n)
    expect(await verifyLedger(path)).toMatchObject({ ok: true, files: 2 })
  })

  test('error: verification detects a snapshot that is not the state at the seal', async () => {
    const ledger = await open()
    await reserve(ledger)
    await ledger.compact()
    const other = await createFileLedger(join(directory, 'third.jsonl'))
    await other.compact()
    await other.close()
    await copyFile(join(directory, 'third.jsonl.1'), `${path}.1`)
    expect(await verifyLedger(path)).toMatchObject({ ok: false, brokenIn: `${path}.1`, brokenAt: 1 })
  })

  test('behavior: killed processes never lose a reservation', async () => {
    let known = 0
    for (const killedAfter of [5, 15]) {
      const child = startWriter(path)
      let acknowledged = 0
      await new Promise<void>((done) => {
        child.on('message', () => {
          acknowledged += 1
          if (acknowledged === killedAfter) done()
        })
      })
      child.kill('SIGKILL')
      await new Promise((done) => child.once('exit', done))
      const ledger = await createFileLedger(path)
      const count = Number(ledger.totals().usdMicros / 10_000n)
      await ledger.close()
      expect(count).toBeGreaterThanOrEqual(known + acknowledged)
      known = count
    }
    expect(await verifyLedger(path)).toMatchObject({ ok: true })
    expect((await files()).length).toBeGreaterThan(2)
  })
})

/** Starts a process that reserves and compacts in turn, and reports each reservation. */
function startWriter(file: string): ChildProcess {
  return fork(new URL('../testing/reserveForever.ts', import.meta.url), [file], {
    execArgv: ['--conditions=source', '--import', 'tsx'],
  })
}
