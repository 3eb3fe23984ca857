import { describe, expect, test } from 'vitest'
import { budgetLimits } from '../../decide/budget.ts'
import { parsePolicy } from '../../decide/policySchema.ts'
import type { ReserveResult } from '../../ledger/ledger.ts'
import { aRequest } from '../../testing/requests.ts'
import { createLedgerLog, type Pool } from './ledgerLog.ts'

const limits = budgetLimits(
  parsePolicy({ maxPerDayUsd: '0.10', maxPerHostPerDayUsd: '0.10', velocity: { perHostPerMinute: 1000 } }),
)
type Data = { seq: string; head: string | null; lines: { seq: string; line: string }[] }

/** A database of one ledger, which can be restored from a back-up, as after the loss of a primary. */
function createDatabase() {
  let data: Data = { seq: '0', head: null, lines: [] }
  const query = async (text: string, [, ...values]: unknown[] = []): Promise<{ rows: unknown[] }> => {
    if (text.includes('FOR UPDATE')) return { rows: [{ ...data, stopped: false, now: String(Date.now()) }] }
    if (text.startsWith('SELECT seq, line FROM touchstone_guard.line'))
      return { rows: data.lines.filter(({ seq }) => BigInt(seq) > BigInt(values[0] as string)) }
    if (text.includes('INSERT INTO touchstone_guard.line')) {
      const [first, lines] = values as [string, string[]]
      data.lines.push(...lines.map((line, place) => ({ seq: String(BigInt(first) + BigInt(place)), line })))
    }
    if (text.startsWith('UPDATE')) [data.seq, data.head] = values as [string, string]
    return { rows: [] }
  }
  const pool: Pool = { query, connect: async () => ({ query, release: () => {} }), end: async () => {} }
  return {
    pool,
    copy: () => structuredClone(data),
    restore: (copy: Data) => {
      data = structuredClone(copy)
    },
  }
}

let call = 0
describe('a database that has lost lines', () => {
  test('error: a process that knows of more payments does not go on with fewer', async () => {
    const { pool, copy, restore } = createDatabase()
    const log = createLedgerLog(pool, { name: 'default', clock: 'database', snapshotLines: 20_000 })
    let granted = 0
    const reserve = async () => {
      let result: ReserveResult | undefined
      const fact = {
        type: 'reserve',
        id: `p${++call}`,
        request: aRequest({ call: `GET ${call}` }),
        limits,
      } as const
      const done = (given: ReserveResult) => {
        result = given
      }
      await log.write([{ fact, done }]).catch(() => {})
      if (result?.ok) granted += 1
    }
    await reserve()
    const backUp = copy()
    for (let count = 0; count < 9; count++) await reserve()
    expect(granted).toBe(10)
    // A replica takes over that had not received the last lines.
    restore(backUp)
    for (let count = 0; count < 12; count++) await reserve()
    expect(granted).toBe(10)
  })
})
