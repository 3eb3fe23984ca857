import { afterEach, beforeEach, expect, test } from 'vitest'
import type { GuardEvent } from '../../events.ts'
import { createGuard, type GuardOptions } from '../../integrations/createGuard.ts'
import { createCountingAccount, STOCK_CLIENTS } from '../../testing/clients.ts'
import { type StockSeller, startStockSeller } from '../../testing/stockSeller.ts'

let seller: StockSeller
let events: GuardEvent[]
let waits: number[]
beforeEach(async () => {
  seller = await startStockSeller()
  ;[events, waits] = [[], []]
})
afterEach(() => seller.stop())

/** The facilitator has broadcast a payment, and does not know yet whether it is in a block. */
const PENDING = { success: false, errorReason: 'settlement_pending' }

/** Settles only after a number of requests. The stock server asks twice for each. */
function settleAfter(requests: number): void {
  let asked = 0
  seller.settle = () => (asked++ < 2 * requests ? PENDING : {})
}

function setUp(options: GuardOptions = {}) {
  const { account, counter } = createCountingAccount()
  // Ahead of the real clock, by which the stock client signs.
  let aheadMs = 0
  const guard = createGuard({
    onDecision: (event) => events.push(event),
    now: () => Date.now() + aheadMs,
    wait: async (ms) => {
      waits.push(ms)
      aheadMs += ms
    },
    ...options,
  })
  const pay = STOCK_CLIENTS['@x402/fetch'](guard.fetch(), account)
  const call = (init?: RequestInit) =>
    pay(`${seller.url}/weather`, init).then(
      async (response) => `${response.status} ${await response.text()}`,
      (error) => error.code,
    )
  return { guard, counter, call }
}

const distinct = () => new Set(seller.payments).size
const resent = () => events.filter(({ type }) => type === 'resent').length

test('default: a payment whose settlement is pending is sent again, and never signed twice', async () => {
  settleAfter(2)
  const { guard, counter, call } = setUp()
  expect(await call()).toBe('200 {"weather":"sunny"}')
  expect([counter.signatures, distinct(), seller.payments.length]).toEqual([1, 1, 3])
  expect(waits).toEqual([1000, 2000])
  expect(resent()).toBe(2)
  expect(guard.ledger.totals().usdMicros).toBe(10_000n)
  expect(events.at(-1)).toMatchObject({ type: 'settled', transaction: `0x${'ab'.repeat(32)}` })
})

test('behavior: a body is sent again with it', async () => {
  settleAfter(1)
  const { call } = setUp()
  expect(await call({ method: 'POST', body: 'rain?' })).toBe('200 {"weather":"sunny"}')
  expect(seller.requests.map(({ headers }) => headers['content-length'])).toEqual(['5', '5', '5'])
})

test('behavior: Retry-After is honoured within bounds', async () => {
  for (const [text, waitMs] of [
    ['3', 3000],
    ['0', 500],
    ['3600', 10_000],
    ['soon', 1000],
  ] as const) {
    settleAfter(1)
    waits = []
    seller.headers = { 'retry-after': text }
    expect(await setUp().call()).toBe('200 {"weather":"sunny"}')
    expect([text, waits]).toEqual([text, [waitMs]])
  }
  settleAfter(1)
  waits = []
  seller.headers = { 'retry-after': new Date(Date.now() + 5000).toUTCString() }
  await setUp().call()
  expect(waits).toHaveLength(1)
  expect(waits[0]).toBeGreaterThan(3500)
  expect(waits[0]).toBeLessThanOrEqual(5000)
})

test('behavior: after the last wait the payment is unresolved, and a retry sends it again', async () => {
  settleAfter(Number.POSITIVE_INFINITY)
  const { guard, counter, call } = setUp()
  expect(await call()).toBe('PAYMENT_NOT_ACCEPTED')
  expect(waits).toEqual([1000, 2000, 4000, 8000])
  expect([counter.signatures, distinct(), seller.payments.length]).toEqual([1, 1, 5])
  expect(guard.ledger.pending()).toHaveLength(1)
  settleAfter(0)
  expect(await call()).toBe('200 {"weather":"sunny"}')
  expect([counter.signatures, distinct(), seller.payments.length]).toEqual([1, 1, 6])
  expect(guard.ledger.totals().usdMicros).toBe(10_000n)
})

test('behavior: nothing is sent after the authorization has expired', async () => {
  settleAfter(Number.POSITIVE_INFINITY)
  seller.headers = { 'retry-after': '10' }
  let aheadMs = 0
  const wait = async () => {
    aheadMs += 25_000
  }
  expect(await setUp({ now: () => Date.now() + aheadMs, wait }).call()).toBe('PAYMENT_NOT_ACCEPTED')
  // The third wait would end after the 60 seconds of the authorization.
  expect(seller.payments).toHaveLength(3)
})

test('error: STOP during the wait ends the re-sends', async () => {
  settleAfter(Number.POSITIVE_INFINITY)
  const { guard, counter, call } = setUp({ wait: () => guard.stop() })
  expect(await call()).toBe('PAYMENT_NOT_ACCEPTED')
  expect([counter.signatures, seller.payments.length]).toEqual([1, 1])
  expect(guard.ledger.pending()).toHaveLength(1)
})

test('error: an abort ends the wait at once', async () => {
  settleAfter(Number.POSITIVE_INFINITY)
  const stop = new AbortController()
  const { counter, call } = setUp({
    wait: () => {
      stop.abort(new Error('enough'))
      return new Promise(() => {})
    },
  })
  expect(await call({ signal: stop.signal })).toBe('NO_ANSWER')
  expect([counter.signatures, seller.payments.length]).toEqual([1, 1])
})

test('error: other failures of a settlement are not waited for', async () => {
  for (const change of [
    { success: false, errorReason: 'insufficient_funds' },
    // Without a transaction nothing was broadcast.
    { ...PENDING, transaction: '' },
  ]) {
    seller.settle = () => change
    seller.payments.length = 0
    expect(await setUp().call()).toBe('PAYMENT_NOT_ACCEPTED')
    expect([waits, seller.payments.length]).toEqual([[], 1])
  }
})
