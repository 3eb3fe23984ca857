import { describe, expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import type { Ledger, Reservation } from '../ledger/ledger.ts'
import { ANY_BODY, APPROVAL_LIFETIME_MS } from '../ledger/pending.ts'
import { aProof, aRequest } from './requests.ts'
import { HONEST, THIEF } from './seller.ts'

const DAY = 86_400_000
const limits = budgetLimits(
  parsePolicy({ maxPerDayUsd: '9', maxPerHostPerDayUsd: '9', maxPerPaymentUsd: '9' }),
)
const PAYMENT = { url: 'https://a.example/x?secret=1', header: 'PAYMENT-SIGNATURE', value: 'c2lnbmVk' }
const once = { body: '', callKey: '', payer: null }
const authorization = { from: HONEST, nonce: `0x${'0a'.repeat(32)}`, validBefore: '1700000060' }
const UNUSED = { state: 'unused', proof: aProof(1_700_000_060) } as const

/** Creates a reservation for one call. */
function reservationOf(change: Partial<Reservation> = {}): Reservation {
  return aRequest({ at: 0, payTo: HONEST, once, ...change })
}

/** Registers the tests that every ledger must pass. `open` returns an empty ledger; `reopen` the same one again. */
export function describeLedger(
  name: string,
  open: () => Promise<Ledger>,
  reopen: (ledger: Ledger) => Promise<Ledger>,
): void {
  const reserve = async (ledger: Ledger, change: Partial<Reservation> = {}): Promise<string> => {
    const result = await ledger.reserve(reservationOf(change), limits)
    return result.ok ? result.id : result.code
  }
  const send = async (ledger: Ledger, change: Partial<Reservation> = {}) => {
    const id = await reserve(ledger, change)
    await ledger.update(id, { state: 'sent', authorization, payment: PAYMENT })
    return id
  }

  describe(`${name}: unresolved payments`, () => {
    test('default: bars an equal call from a second reservation until the call is answered', async () => {
      const ledger = await open()
      const id = await send(ledger)
      expect(await reserve(ledger)).toBe('PAYMENT_PENDING')
      await ledger.update(id, { state: 'unknown' })
      expect(await reserve(ledger, { at: 2 * DAY })).toBe('PAYMENT_PENDING')
      expect(ledger.findPending(reservationOf(), 3 * DAY)).toMatchObject({
        id,
        state: 'unknown',
        authorization,
      })
      await ledger.update(id, { answered: true })
      expect(ledger.findPending(reservationOf(), 0)).toBeUndefined()
      expect(ledger.find(id)).toMatchObject({ id, answered: true })
      expect(await reserve(ledger)).not.toBe('PAYMENT_PENDING')
      expect(ledger.totals().usdMicros).toBe(20_000n)
    })

    test('behavior: keeps the signed payment until the call is answered or the amount released', async () => {
      for (const change of [{ answered: true }, UNUSED] as const) {
        const ledger = await open()
        const id = await send(ledger)
        expect(await ledger.readPayment(id)).toEqual(PAYMENT)
        expect(JSON.stringify(ledger.pending().map(({ usdMicros: _, ...rest }) => rest))).not.toContain(
          'secret',
        )
        await ledger.update(id, { state: 'unknown' })
        await ledger.update(id, { delivered: false })
        expect(await ledger.readPayment(id)).toEqual(PAYMENT)
        await ledger.update(id, change)
        expect(await ledger.readPayment(id)).toBeNull()
      }
    })

    test('behavior: survives a restart', async () => {
      const first = await open()
      const id = await send(first)
      const second = await reopen(first)
      expect(second.findPending(reservationOf(), 0)).toMatchObject({ id, state: 'sent' })
      expect(await second.readPayment(id)).toEqual(PAYMENT)
      expect(await reserve(second)).toBe('PAYMENT_PENDING')
    })

    test('behavior: counts an upto payment by what the chain shows, after a restart too', async () => {
      const first = await open()
      const id = await send(first, { scheme: 'upto' })
      const receipt = { network: 'eip155:8453', resourceUrl: PAYMENT.url, payer: HONEST, issuedAt: 1 }
      const proven = { state: 'settled', by: 'chain', transaction: '0x1', proof: UNUSED.proof } as const
      const signed = { ...receipt, transaction: '', signature: '0xab', signedBy: 'key' } as const
      await first.update(id, { state: 'settled', by: 'seller', transaction: null, receipt: signed })
      expect([first.totals().usdMicros, first.pending()]).toMatchObject([10_000n, [{ id }]])
      await first.update(id, { ...proven, amountAtomic: '10001' })
      expect(first.totals().usdMicros).toBe(10_000n)
      await first.update(id, { ...proven, amountAtomic: '4000' })
      const second = await reopen(first)
      expect(second.find(id)).toMatchObject({
        amountAtomic: '10000',
        usdMicros: 10_000n,
        scheme: 'upto',
        receipt: signed,
        known: { by: 'chain', amountAtomic: '4000', usdMicros: 4000n, transaction: '0x1' },
      })
      await second.update(id, UNUSED)
      expect([second.totals().usdMicros, second.pending()]).toEqual([4000n, []])
    })

    test('behavior: bars one of two concurrent equal calls', async () => {
      const ledger = await open()
      const results = await Promise.all([reserve(ledger), reserve(ledger)])
      expect(results.filter((result) => result === 'PAYMENT_PENDING')).toHaveLength(1)
    })

    test('behavior: distinguishes calls by body, key and payer, where they are known', async () => {
      const ledger = await open()
      const other = (change: object) => ({ once: { ...once, ...change } })
      await send(ledger, other({ body: 'aa' }))
      expect(await reserve(ledger, other({ body: 'aa', payer: THIEF }))).not.toBe('PAYMENT_PENDING')
      expect(await reserve(ledger, other({ body: 'bb' }))).not.toBe('PAYMENT_PENDING')
      expect(await reserve(ledger, other({ body: 'aa', callKey: '2' }))).not.toBe('PAYMENT_PENDING')
      expect(await reserve(ledger, { call: 'POST https://a.example/x' })).not.toBe('PAYMENT_PENDING')
      expect(await reserve(ledger, other({ body: 'aa' }))).toBe('PAYMENT_PENDING')
      expect(await reserve(ledger, other({ body: ANY_BODY }))).toBe('PAYMENT_PENDING')
      expect(await reserve(ledger, other({ body: 'aa', payer: HONEST.toLowerCase() }))).toBe(
        'PAYMENT_PENDING',
      )
    })

    test('behavior: an approval that expired without a signature bars nothing', async () => {
      const ledger = await open()
      await reserve(ledger)
      expect(await reserve(ledger, { at: APPROVAL_LIFETIME_MS - 1 })).toBe('PAYMENT_PENDING')
      expect(await reserve(ledger, { at: APPROVAL_LIFETIME_MS })).not.toBe('PAYMENT_PENDING')
    })

    test('behavior: an amount released after more than a day does not lower the sums of the day', async () => {
      const ledger = await open()
      const id = await send(ledger)
      await reserve(ledger, { at: 2 * DAY, call: 'GET https://a.example/y' })
      await ledger.update(id, UNUSED)
      expect(ledger.view(reservationOf(), limits, 2 * DAY)).toMatchObject({
        spentDay: 10_000n,
        spentTotal: 10_000n,
      })
    })
  })

  describe(`${name}: strikes and pins`, () => {
    test('default: lists and clears them by host', async () => {
      const ledger = await open()
      const id = await send(ledger)
      await ledger.update(id, { delivered: false })
      expect(ledger.strikes()).toEqual([{ endpoint: 'https://a.example/x', at: [0] }])
      expect(ledger.pins()).toMatchObject([{ endpoint: 'https://a.example/x', payTo: HONEST }])
      await ledger.clear('strikes', 'b.example')
      await ledger.clear('pins', 'b.example')
      expect([ledger.strikes().length, ledger.pins().length]).toEqual([1, 1])
      await ledger.clear('strikes', 'a.example')
      await ledger.clear('pins', 'a.example')
      expect([ledger.strikes(), ledger.pins()]).toEqual([[], []])
    })

    test('behavior: counts a mild fault only after another one that three deliveries have not cleared', async () => {
      const ledger = await open()
      const id = await send(ledger)
      await ledger.update(id, { delivered: false, isMild: true })
      expect(ledger.strikes()).toEqual([])
      for (let count = 0; count < 3; count++) await ledger.update(id, { delivered: true })
      await ledger.update(id, { delivered: false, isMild: true })
      expect(ledger.strikes()).toEqual([])
      await ledger.update(id, { delivered: true })
      await ledger.update(id, { delivered: false, isMild: true })
      expect(ledger.strikes()).toHaveLength(1)
    })
  })
}
