import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { usePostgres } from '../../../../server/src/store/testing/usePostgres.ts'
import { budgetLimits } from '../../decide/budget.ts'
import { parsePolicy } from '../../decide/policySchema.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { describeLedger } from '../../testing/ledgerContract.ts'
import { aRequest } from '../../testing/requests.ts'
import { HONEST } from '../../testing/seller.ts'
import { createPostgresLedger, type PostgresLedger, type PostgresLedgerOptions } from './postgresLedger.ts'

const limits = budgetLimits(parsePolicy({ maxPerDayUsd: '0.10', maxPerHostPerDayUsd: '0.10' }))
const names = new Map<Ledger, string>()
const emptyDatabase = usePostgres()
let opened: PostgresLedger[] = []

afterEach(async () => {
  await Promise.all(opened.map((ledger) => ledger.close()))
  opened = []
})

async function open(options: Partial<PostgresLedgerOptions> = {}): Promise<PostgresLedger> {
  const name = options.name ?? randomUUID()
  const ledger = await createPostgresLedger({ url: emptyDatabase().url, ...options, name })
  opened.push(ledger)
  names.set(ledger, name)
  return ledger
}

const reopen = (ledger: Ledger, options: Partial<PostgresLedgerOptions> = {}) =>
  open({ ...options, name: names.get(ledger) ?? '' })

async function sql(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: emptyDatabase().url })
  await client.connect()
  const { rows } = await client.query(text, values)
  await client.end()
  return rows
}

describeLedger(
  'createPostgresLedger',
  () => open({ clock: 'caller' }),
  (ledger) => reopen(ledger, { clock: 'caller' }),
)

describe('createPostgresLedger', () => {
  test('default: two ledgers of one name share a budget, ledgers of other names do not', async () => {
    const first = await open()
    const ledgers = [first, await reopen(first)]
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        (ledgers[index % 2] as Ledger).reserve(aRequest({ call: `GET ${index}` }), limits),
      ),
    )
    expect(results.filter(({ ok }) => ok)).toHaveLength(10)
    for (const ledger of ledgers) {
      await ledger.refresh()
      expect(ledger.totals().usdMicros).toBe(100_000n)
    }
    expect((await open()).totals().usdMicros).toBe(0n)
  })

  test('behavior: dates payments by the clock of the database', async () => {
    const ledger = await open()
    for (let index = 0; index < 10; index++)
      await ledger.reserve(aRequest({ call: `GET ${index}`, at: 0 }), limits)
    expect(await ledger.reserve(aRequest({ at: 0 }), limits)).toEqual({
      ok: false,
      code: 'OVER_HOST_DAY_LIMIT',
    })
    expect(ledger.view(aRequest(), limits, Date.now()).spentDay).toBe(100_000n)
  })

  test('behavior: stop refuses reservations of every process', async () => {
    const first = await open()
    const second = await reopen(first)
    await first.setStopped(true)
    expect(await second.isStopped()).toBe(true)
    expect(await second.reserve(aRequest(), limits)).toEqual({ ok: false, code: 'STOPPED' })
    await second.setStopped(false)
    expect(await first.reserve(aRequest(), limits)).toMatchObject({ ok: true })
  })

  test('behavior: payments are stored apart from the lines and erased when the call is answered', async () => {
    const ledger = await open()
    const reserved = await ledger.reserve(aRequest(), limits)
    if (!reserved.ok) throw new Error(reserved.code)
    const authorization = { from: HONEST, nonce: `0x${'0a'.repeat(32)}`, validBefore: '1700000060' }
    const payment = { url: 'https://a.example/x?secret', header: 'X-PAYMENT', value: 'c2lnbmVk' }
    await ledger.update(reserved.id, { state: 'sent', authorization, payment })
    const name = names.get(ledger)
    expect(await (await reopen(ledger)).readPayment(reserved.id)).toEqual(payment)
    const lines = await sql('SELECT line FROM touchstone_guard.line WHERE name = $1', [name])
    expect(JSON.stringify(lines)).not.toMatch(/secret|c2lnbmVk/)
    await ledger.update(reserved.id, { answered: true })
    expect(await sql('SELECT * FROM touchstone_guard.payment WHERE name = $1', [name])).toEqual([])
  })

  test('behavior: an update that changes nothing is no line', async () => {
    const ledger = await open()
    const reserved = await ledger.reserve(aRequest(), limits)
    if (!reserved.ok) throw new Error(reserved.code)
    // By the clock of the database it has just begun.
    await ledger.update(reserved.id, { state: 'expired', at: Date.now() + 86_400_000 })
    const lines = await sql('SELECT line FROM touchstone_guard.line WHERE name = $1', [names.get(ledger)])
    expect([lines.length, ledger.totals().usdMicros]).toEqual([1, 10_000n])
  })

  test('behavior: opens from a snapshot once it has many lines', async () => {
    const ledger = await open({ snapshotLines: 5 })
    for (let index = 0; index < 7; index++) {
      await ledger.reserve(aRequest({ call: `GET ${index}`, task: 'report' }), limits)
    }
    const name = names.get(ledger)
    expect(await sql('SELECT seq FROM touchstone_guard.snapshot WHERE name = $1', [name])).toEqual([
      { seq: '5' },
    ])
    await sql('DELETE FROM touchstone_guard.line WHERE name = $1 AND seq <= 5', [name])
    const again = await reopen(ledger)
    expect(again.totals()).toEqual(ledger.totals())
    expect(again.view(aRequest({ task: 'report' }), limits, Date.now()).spentTask).toBe(70_000n)
  })

  test('behavior: recovers after the connections were cut', async () => {
    const ledger = await open()
    await ledger.reserve(aRequest({ call: 'GET 1' }), limits)
    await sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity 
       WHERE application_name = 'touchstone-guard' AND datname = current_database()`,
    )
    await ledger.reserve(aRequest({ call: 'GET 2' }), limits).catch(() => undefined)
    expect(await ledger.reserve(aRequest({ call: 'GET 3' }), limits)).toMatchObject({ ok: true })
    const known = ledger.totals().usdMicros
    expect((await reopen(ledger)).totals().usdMicros).toBe(known)
  })

  test('error: detects a changed or removed line', async () => {
    for (const tamper of [
      `UPDATE touchstone_guard.line SET line = replace(line, '"10000"', '"1"') WHERE name = $1 AND seq = 2`,
      'DELETE FROM touchstone_guard.line WHERE name = $1 AND seq = 2',
    ]) {
      const ledger = await open()
      for (let index = 0; index < 3; index++) await ledger.reserve(aRequest({ call: `GET ${index}` }), limits)
      await sql(tamper, [names.get(ledger)])
      await expect(reopen(ledger)).rejects.toThrow('lines are missing from the database')
    }
  })

  test('error: refuses an invalid URL and an unreachable database', async () => {
    await expect(open({ url: 'mysql://localhost' })).rejects.toThrow(
      'expected a URL that begins with postgres://',
    )
    await expect(open({ url: 'postgres://touchstone@127.0.0.1:1/postgres' })).rejects.toThrow()
  })
})
