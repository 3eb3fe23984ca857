import { NOTHING_SENT, readUndelivered, readUnsettled } from '@touchstone402/server/testing'
import { expect, test } from 'vitest'
import { answering, denying } from './support/facilitatorAnswers.ts'
import type { Fault } from './support/faultyFacilitator.ts'
import { TRUST_PRICE, useMarket } from './support/market.ts'
import { openWatched } from './support/watchedShop.ts'

const market = useMarket()
const { earned } = market

test('behavior: a payment that the facilitator settles and denies is delivered from the chain, whatever the reason', async () => {
  const { call, facilitator, store, shop } = await openWatched(market)
  for (const reason of [...NOTHING_SENT, 'unexpected_settle_error', 'Not today, sorry!']) {
    const before = await earned()
    await facilitator.set({ settle: denying('after', reason) })
    const { first, ask } = await call('/trust')
    expect([reason, first]).toMatchObject([reason, { status: 200, success: true }])
    expect(await ask()).toEqual(first)
    expect((await earned()) - before).toBe(TRUST_PRICE)
  }
  expect(await readUnsettled(store)).toEqual([])
  expect(shop.runs.trust).toBe(NOTHING_SENT.size + 2)
  expect(shop.faults.filter((fault) => fault.startsWith('contradicted'))).toHaveLength(NOTHING_SENT.size)
})

test.each<[string, Fault]>([
  ['500', answering('after', 500, { error: 'internal' })],
  ['reset', { kind: 'reset', when: 'after' }],
  ['timeout', { kind: 'timeout', when: 'after' }],
  ['HTML', answering('after', 200, '<html>Just a moment…</html>')],
  ['429', answering('after', 429, {})],
])('behavior: a payment whose settlement ends in %s is delivered from the chain', async (_, settle) => {
  const { call, facilitator, store } = await openWatched(market, { settleTimeoutMs: 1000 })
  await facilitator.set({ settle })
  for (const version of [1, 2] as const)
    expect((await call('/trust', market.bot(), version)).first).toMatchObject({ status: 200, success: true })
  expect(await earned()).toBe(2n * TRUST_PRICE)
  expect(await readUnsettled(store)).toEqual([])
})

test('behavior: a payment that is denied and unused is 402, and may be presented again', async () => {
  const { call, facilitator, store, mineOn } = await openWatched(market, { searchMs: 20_000 })
  mineOn()
  await facilitator.set({ settle: denying('before') })
  const { first, ask } = await call('/trust')
  expect(first).toMatchObject({ status: 402, success: false })
  expect((await readUnsettled(store)).map(({ state }) => state)).toEqual(['refused'])
  await facilitator.set({})
  expect(await ask()).toMatchObject({ status: 200, success: true })
  expect(await earned()).toBe(TRUST_PRICE)
})

test('behavior: a payment that settles after its denial pays for the next equal call, and for no other', async () => {
  const { call, facilitator, store, watch, owed, mineOn } = await openWatched(market, { searchMs: 20_000 })
  mineOn()
  await facilitator.set({ settle: denying('before') })
  const { first, nonce } = await call('/trust')
  expect(first.status).toBe(402)
  await facilitator.settleLast()
  expect(await earned()).toBe(TRUST_PRICE)
  await facilitator.set({})
  expect((await call('/trust?endpoint=https%3A%2F%2Fknown.example%2F')).first.status).toBe(200)
  expect(await earned()).toBe(2n * TRUST_PRICE)
  // A new signature, as a stock client makes after a 402.
  const next = await call('/trust')
  expect(next.first).toMatchObject({ status: 200, success: true })
  expect(next.nonce).not.toBe(nonce)
  expect([await earned(), owed]).toEqual([2n * TRUST_PRICE, [nonce]])
  expect((await call('/trust')).first.status).toBe(200)
  expect(await earned()).toBe(3n * TRUST_PRICE)
  expect(await watch.check()).toMatchObject({ owed: 0 })
  const { network, usdc } = market.economy.chain
  expect(await readUndelivered(store, { network, asset: usdc, from: market.bot().address })).toEqual([])
})

test('behavior: a payment that settles after its denial gets its own answer when it is presented again', async () => {
  const { call, facilitator, watch, owed, shop, mineOn } = await openWatched(market, { searchMs: 20_000 })
  mineOn()
  await facilitator.set({ settle: denying('before') })
  const { first, ask, nonce } = await call('/trust')
  expect(first.status).toBe(402)
  await facilitator.settleLast()
  expect(await watch.check()).toMatchObject({ owed: 1 })
  expect(owed).toEqual([nonce])
  expect(await ask()).toMatchObject({ status: 200, success: true })
  expect([await earned(), shop.runs.trust]).toEqual([TRUST_PRICE, 1])
})

test('error: while the chain makes no blocks, a denial is not believed', async () => {
  const { call, facilitator, store } = await openWatched(market)
  await facilitator.set({ settle: denying('before') })
  expect((await call('/trust')).first).toMatchObject({ status: 503, code: 'settlement_unknown' })
  expect((await readUnsettled(store)).map(({ state }) => state)).toEqual(['unknown'])
})

test('error: a payment that another service of the same receiver sold an answer for buys nothing here', async () => {
  const [one, other] = [await openWatched(market), await openWatched(market)]
  const sold = await one.call('/trust')
  expect(sold.first.status).toBe(200)
  for (let time = 0; time < 3; time++) {
    const response = await fetch(`${other.shop.origin}/trust`, { headers: sold.headers })
    expect(response.status).toBe(402)
    await response.arrayBuffer()
    await other.watch.check()
  }
  expect([other.shop.runs.trust, other.owed]).toEqual([0, []])
})
