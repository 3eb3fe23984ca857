import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BudgetLimits, budgetLimits, type LedgerView } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { describeLedger } from '../testing/ledgerContract.ts'
import { aRequest } from '../testing/requests.ts'
import { createMemoryLedger } from './journal.ts'
import type { LedgerUpdate, Reservation } from './ledger.ts'

const DAY = 86_400_000
const loose: BudgetLimits = {
  ...budgetLimits(parsePolicy({ maxPerDayUsd: '1000', maxPerHostPerDayUsd: '1000' })),
  perHostPerMinute: 1e6,
  identicalPerMinute: 1e6,
}

const request = (change: Partial<Reservation> = {}) => aRequest({ at: 0, ...change })

async function reserve(ledger = createMemoryLedger(), change: Partial<Reservation> = {}, limits = loose) {
  const result = await ledger.reserve(request(change), limits)
  if (!result.ok) throw new Error(result.code)
  return result.id
}

describe('createMemoryLedger', () => {
  test('default: sums per chain and asset, and in dollars in total', async () => {
    const ledger = createMemoryLedger()
    await reserve(ledger)
    await reserve(ledger, { asset: '0xaa' })
    await reserve(ledger, { network: 'eip155:1', asset: '0xbb', amountAtomic: '7', usdMicros: 7n })
    expect(ledger.totals()).toEqual({
      usdMicros: 20_007n,
      byAsset: [
        { network: 'eip155:8453', asset: '0xaa', amountAtomic: 20_000n },
        { network: 'eip155:1', asset: '0xbb', amountAtomic: 7n },
      ],
    })
  })

  test('behavior: releases only payments that never left', async () => {
    for (const change of [
      { state: 'unknown' },
      { state: 'settled', by: 'seller', transaction: null },
    ] as LedgerUpdate[]) {
      const ledger = createMemoryLedger()
      const id = await reserve(ledger)
      await ledger.update(id, { state: 'sent', authorization: null })
      await ledger.update(id, { state: 'unsigned' })
      await ledger.update(id, change)
      await ledger.update(id, { state: 'unsigned' })
      expect(ledger.totals().usdMicros).toBe(10_000n)
    }
    const ledger = createMemoryLedger()
    await ledger.update(await reserve(ledger), { state: 'unsigned' })
    expect(ledger.totals().usdMicros).toBe(0n)
  })

  test('behavior: uses a rolling day and a lifetime total', async () => {
    const ledger = createMemoryLedger()
    await ledger.update(await reserve(ledger), { state: 'sent', authorization: null })
    const before = ledger.view(request(), loose, DAY - 1)
    const after = ledger.view(request(), loose, DAY)
    expect([before.spentDay, before.spentHostDay, before.spentTotal]).toEqual([10_000n, 10_000n, 10_000n])
    expect([after.spentDay, after.spentHostDay, after.spentTotal]).toEqual([0n, 0n, 10_000n])
    await reserve(ledger, { at: 3 * DAY })
    expect(ledger.totals()).toMatchObject({ usdMicros: 20_000n, byAsset: [{ amountAtomic: 20_000n }] })
  })

  test('behavior: releases nothing when the clock is set back', async () => {
    const ledger = createMemoryLedger()
    await reserve(ledger, { at: 5 * DAY })
    expect(ledger.view(request(), loose, 0).spentDay).toBe(10_000n)
  })

  test('behavior: strikes bar an endpoint for minutes, then hours, then a day, until a delivery', async () => {
    const ledger = createMemoryLedger()
    const fail = async (at: number) => ledger.update(await reserve(ledger, { at }), { delivered: false })
    const delivered = await reserve(ledger)
    const until = (now: number, limits = loose) => ledger.view(request(), limits, now).struckUntil
    await fail(0)
    expect([until(1), until(300_000)]).toEqual([300_000, null])
    expect(ledger.view(request({ endpoint: 'https://a.example/y' }), loose, 1).struckUntil).toBeNull()
    await fail(400_000)
    expect(until(400_001)).toBe(400_000 + 7_200_000)
    await fail(8_000_000)
    expect(until(8_000_001)).toBe(8_000_000 + DAY)
    expect(until(8_000_001, { ...loose, strikeMs: 60_000 })).toBe(8_000_000 + 60_000)
    expect(until(8_000_001, { ...loose, maxStrikes: 2 })).toBe(8_000_000 + 300_000)
    expect(until(8_000_001, { ...loose, maxStrikes: 3 })).toBeNull()
    await ledger.update(delivered, { delivered: true })
    expect(until(8_000_002)).toBeNull()
  })

  test('behavior: records deliveries by host and receiver, the usual price of an endpoint, and the dearest call of a host', async () => {
    const ledger = createMemoryLedger()
    for (const [place, usdMicros] of [10_000n, 30_000n, 20_000n].entries()) {
      const id = await reserve(ledger, { usdMicros, at: place })
      await ledger.update(id, { state: 'sent', authorization: null })
      await ledger.update(id, { delivered: true })
    }
    const seen = ({ deliveries, usual, dearestAtHost }: LedgerView) => [deliveries, usual, dearestAtHost]
    const usual = { usdMicros: 20_000n, at: 2 }
    const dearest = { usdMicros: 30_000n, at: 1 }
    expect(seen(ledger.view(request(), loose, 1))).toEqual([3, { ...usual, isOfOthers: false }, dearest])
    const elsewhere = request({ endpoint: 'https://a.example/y' })
    expect(seen(ledger.view(elsewhere, loose, 1))).toEqual([3, null, dearest])
    // What another receiver has delivered bounds nothing for this one.
    expect(seen(ledger.view({ ...elsewhere, payTo: '0x02' }, loose, 1))).toEqual([0, null, usual])
    expect(
      seen(ledger.view(request({ host: 'b.example', endpoint: 'https://b.example/x' }), loose, 1)),
    ).toEqual([0, null, null])
  })

  test('behavior: pins the first receiver per endpoint and asset', async () => {
    const ledger = createMemoryLedger()
    const id = await reserve(ledger)
    expect(ledger.view(request(), loose, 0).pinnedReceiver).toBeNull()
    await ledger.update(id, { state: 'sent', authorization: null })
    expect(ledger.view(request(), loose, 0).pinnedReceiver).toBe('0x01')
    expect(ledger.view(request({ asset: '0xbb' }), loose, 0).pinnedReceiver).toBeNull()
  })

  test('error: limits payments per minute to one host and for identical calls', async () => {
    const ledger = createMemoryLedger()
    const limits = { ...loose, perHostPerMinute: 3, identicalPerMinute: 2 }
    await reserve(ledger, {}, limits)
    await reserve(ledger, {}, limits)
    await expect(reserve(ledger, {}, limits)).rejects.toThrow('PAYMENT_LOOP')
    await reserve(ledger, { call: 'GET https://a.example/x?2' }, limits)
    await expect(reserve(ledger, { call: 'GET https://a.example/x?3' }, limits)).rejects.toThrow(
      'TOO_MANY_PAYMENTS',
    )
    await reserve(ledger, { at: 60_000 }, limits)
  })

  test('behavior: exceeds no limit under arbitrary operations in arbitrary order', async () => {
    const step = fc.record({
      at: fc.nat(2 * DAY),
      host: fc.constantFrom('a.example', 'b.example'),
      usdMicros: fc.bigInt({ min: 1n, max: 600_000n }),
      change: fc.constantFrom<LedgerUpdate | null>(
        null,
        { state: 'sent', authorization: null },
        { state: 'unsigned' },
        { state: 'unknown' },
      ),
    })
    const limits = {
      ...loose,
      perPayment: 500_000n,
      perHostDay: 1_000_000n,
      perDay: 1_500_000n,
      total: 4_000_000n,
    }
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const ledger = createMemoryLedger()
        const spent: { at: number; host: string; usdMicros: bigint }[] = []
        for (const { change, ...step } of steps.toSorted((a, b) => a.at - b.at)) {
          const result = await ledger.reserve(request(step), limits)
          if (!result.ok) continue
          if (change !== null) await ledger.update(result.id, change)
          if (change === null || !('state' in change) || change.state !== 'unsigned') spent.push(step)
          const sum = (entries: typeof spent) => entries.reduce((total, entry) => total + entry.usdMicros, 0n)
          const today = spent.filter(({ at }) => at > step.at - DAY)
          expect(step.usdMicros).toBeLessThanOrEqual(limits.perPayment)
          expect(sum(spent)).toBeLessThanOrEqual(limits.total)
          expect(sum(today)).toBeLessThanOrEqual(limits.perDay)
          expect(sum(today.filter(({ host }) => host === step.host))).toBeLessThanOrEqual(limits.perHostDay)
          expect(ledger.totals().usdMicros).toBe(sum(spent))
        }
      }),
    )
  })
})

describeLedger(
  'createMemoryLedger',
  async () => createMemoryLedger(),
  async (ledger) => ledger,
)
