import fc from 'fast-check'
import { expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { aProof } from '../testing/requests.ts'
import { applyUpdate } from './applyUpdate.ts'
import type { Payment } from './ledger.ts'
import { addEntry, createLedgerReader, createLedgerState, viewState } from './ledgerState.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const limits = budgetLimits(parsePolicy())
const where = {
  domain: 'a.example',
  task: null,
  agent: null,
  isVouched: true,
  endpoint: 'https://a.example/x',
  network: 'eip155:8453',
  payTo: '0x01',
}

const fee = { host: 'a.example', call: 'GET 1', asset: '0xaa', amountAtomic: '10000', usdMicros: 10_000n }
const query = { ...where, host: 'a.example', call: 'GET 1', asset: '0xaa' }

test('behavior: one call with a clock ahead, by a day or a year, frees no budget of the day', () => {
  for (const ahead of [DAY + 1, 3 * DAY, 365 * DAY]) {
    const state = createLedgerState()
    const add = (id: string, at: number) => addEntry(state, id, { ...where, ...fee, at })
    const now = 100 * DAY + DAY / 2
    add('first', now)
    add('ahead', now + ahead)
    add('back', now + MINUTE)
    const view = (at: number) => viewState(state, query, limits, at)
    // What the clock ahead has spent counts too.
    expect(view(now + 2 * MINUTE)).toMatchObject({ spentDay: 30_000n, spentHostDay: 30_000n })
    expect(
      createLedgerReader(() => state)
        .summary(now + 2 * MINUTE)
        .day.get('day'),
    ).toMatchObject({
      spent: 10_000n,
      reserved: 20_000n,
    })
    // At the latest a day later, only what the clock ahead has spent is left.
    expect(view(now + 2 * DAY).spentDay).toBe(10_000n)
  }
})

test('behavior: a payment of which nothing was collected names no time at which more is left', () => {
  const state = createLedgerState()
  const at = 100 * DAY
  addEntry(state, 'upto', { ...where, ...fee, at, scheme: 'upto' })
  applyUpdate(state, 'upto', { state: 'sent', authorization })
  const settled = { state: 'settled', by: 'chain', transaction: '0x01', amountAtomic: '0' } as const
  applyUpdate(state, 'upto', { ...settled, proof: aProof(0) })
  addEntry(state, 'later', { ...where, ...fee, at: at + MINUTE })
  const { day } = createLedgerReader(() => state).summary(at + 2 * MINUTE)
  expect(day.get('day')).toEqual({ spent: 0n, reserved: 10_000n, oldestAt: at + MINUTE })
})

const time = fc.oneof(fc.nat(3 * DAY), fc.nat(2 * MINUTE), fc.constantFrom(0, MINUTE, DAY, DAY + MINUTE))
const authorization = { from: '0x01', nonce: '0x02', validBefore: '0' }
const payment = fc.record({
  at: time,
  host: fc.constantFrom('a.example', 'b.example'),
  call: fc.constantFrom('GET 1', 'GET 2'),
  asset: fc.constantFrom('0xAA', '0xbb'),
  units: fc.bigInt({ min: 1n, max: 1_000_000n }),
  fate: fc.constantFrom('reserved', 'released', 'unused', 'sent'),
})

test('behavior: keeps the same sums as a full recomputation, in any order of times', () => {
  fc.assert(
    fc.property(fc.array(payment, { maxLength: 60 }), fc.array(time), (payments, times) => {
      const state = createLedgerState()
      const all: Payment[] = []
      // Entries older than a day are dropped, so the clock goes back by less here.
      let latest = 0
      for (const [index, { units, fate, ...one }] of payments.entries()) {
        const at = Math.max(one.at, latest - MINUTE)
        latest = Math.max(latest, at)
        const id = String(index)
        const money = { amountAtomic: units.toString(), usdMicros: units }
        const entry = addEntry(state, id, { ...where, ...one, ...money, at })
        if (fate === 'released') applyUpdate(state, id, { state: 'unsigned' })
        if (fate === 'sent' || fate === 'unused') applyUpdate(state, id, { state: 'sent', authorization })
        if (fate === 'unused') applyUpdate(state, id, { state: 'unused', proof: aProof(0) })
        if (fate !== 'released' && fate !== 'unused') all.push(entry)
      }
      const sum = (entries: Payment[]) => entries.reduce((total, { usdMicros }) => total + usdMicros, 0n)
      for (const now of [latest, ...times.map((later) => latest + later)]) {
        for (const host of ['a.example', 'b.example']) {
          const day = all.filter(({ at }) => at > now - DAY)
          const minute = day.filter((entry) => entry.host === host && entry.at > now - MINUTE)
          const query = { ...where, host, call: 'GET 1', asset: '0xaa' }
          expect(viewState(state, query, limits, now)).toMatchObject({
            spentTotal: sum(all),
            spentDay: sum(day),
            spentHostDay: sum(day.filter((entry) => entry.host === host)),
            hostPaymentsLastMinute: minute.length,
            identicalPaymentsLastMinute: minute.filter(({ call }) => call === 'GET 1').length,
          })
        }
      }
      for (const { asset, amountAtomic } of createLedgerReader(() => state).totals().byAsset)
        expect(amountAtomic).toBe(sum(all.filter((entry) => entry.asset.toLowerCase() === asset)))
      expect(createLedgerReader(() => state).totals().usdMicros).toBe(sum(all))
    }),
  )
})
