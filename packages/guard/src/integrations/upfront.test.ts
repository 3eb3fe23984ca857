import { afterEach, expect, test } from 'vitest'
import { createCountingAccount, STOCK_CLIENTS } from '../testing/clients.ts'
import { type StockSeller, startStockSeller } from '../testing/stockSeller.ts'
import { createGuard, type GuardOptions } from './createGuard.ts'

let seller: StockSeller
afterEach(() => seller.stop())

/** The stock server, which settles before it delivers. */
async function setUp(policy: GuardOptions['policy'] = {}) {
  seller = await startStockSeller({ extra: { paymentFlow: 'upfront' } })
  const { account, counter } = createCountingAccount()
  const guard = createGuard({ policy })
  const pay = STOCK_CLIENTS['@x402/fetch'](guard.fetch(), account)
  const call = () =>
    pay(`${seller.url}/weather`).then(
      ({ status }) => status,
      (error) => error.code,
    )
  return { guard, counter, call }
}

test('default: an offer to pay upfront is refused', async () => {
  const { counter, call } = await setUp()
  expect([await call(), counter.signatures, seller.payments.length]).toEqual(['SCHEME_NOT_ALLOWED', 0, 0])
})

test('behavior: pays upfront within the amount of the policy, and no more', async () => {
  const { guard, counter, call } = await setUp({ allowUpfrontUpToUsd: '0.01' })
  expect([await call(), counter.signatures]).toEqual([200, 1])
  expect(guard.ledger.totals().usdMicros).toBe(10_000n)
  await seller.stop()
  const low = await setUp({ allowUpfrontUpToUsd: '0.009' })
  expect([await low.call(), low.counter.signatures]).toEqual(['SCHEME_NOT_ALLOWED', 0])
})

test('error: what was paid and not delivered counts, and a retry sends the same payment', async () => {
  const { guard, counter, call } = await setUp({ allowUpfrontUpToUsd: '0.01', maxStrikes: 1 })
  seller.status = 500
  expect(await call()).toBe(500)
  expect(guard.ledger.totals().usdMicros).toBe(10_000n)
  expect(await guard.strikes()).toHaveLength(1)
  seller.status = 200
  expect(await call()).toBe(200)
  expect([counter.signatures, new Set(seller.payments).size]).toEqual([1, 1])
})
