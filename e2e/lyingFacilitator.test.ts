import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, readClaim, readUnsettled } from '@touchstone402/server/testing'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test } from 'vitest'
import { claiming, NOWHERE } from './support/facilitatorAnswers.ts'
import { useMarket } from './support/market.ts'
import { openWatched } from './support/watchedShop.ts'

const market = useMarket()
const { bot, earned } = market

const NOWHERE_URL = 'http://127.0.0.1:1'

const pauper = () => privateKeyToAccount(generatePrivateKey())

test('default: /data/full is not delivered to an unfunded payer of a facilitator that lies', async () => {
  const { call, lie, untilMissing, store } = await openWatched(market)
  await lie()
  const { first, ask } = await call('/data/full', pauper())
  expect(first).toMatchObject({ status: 503, code: 'settlement_unknown' })
  expect((await readUnsettled(store)).map(({ state }) => state)).toEqual(['reported'])
  await untilMissing(1)
  expect(await ask()).toMatchObject({ status: 503, code: 'settlement_unknown' })
  expect(await earned()).toBe(0n)
})

test('behavior: delivers a dear answer once the chain shows its settlement', async () => {
  const { call, store } = await openWatched(market)
  const { first } = await call('/data/full')
  expect(first.status).toBe(200)
  expect(await readUnsettled(store)).toEqual([])
  expect(await earned()).toBe(1_000_000n)
})

test('behavior: after three missing settlements every answer waits for the chain, also after a restart', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'claims-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const store = await openStore({ databaseUrl: null, dataDir: directory })
  const { call, lie, untilMissing, watch, distrusted, facilitator, shop } = await openWatched(market, {
    store,
  })
  await lie()
  for (const count of [1, 2, 3]) {
    expect(watch.isTrusted()).toBe(true)
    expect((await call('/trust', pauper())).first.status).toBe(200)
    await untilMissing(count)
  }
  expect([watch.isTrusted(), distrusted]).toEqual([false, [{ missing: 3, overdue: 0 }]])
  expect((await call('/trust', pauper())).first).toMatchObject({ status: 503, code: 'settlement_unknown' })
  await facilitator.set({})
  expect((await call('/trust')).first.status).toBe(200)
  expect(await earned()).toBe(5000n)
  await shop.close()
  await store.close()

  const reopened = await openStore({ databaseUrl: null, dataDir: directory })
  onTestFinished(() => reopened.close())
  const again = await openWatched(market, { store: reopened, facilitator })
  expect(again.watch.isTrusted()).toBe(false)
  await again.lie()
  expect((await again.call('/trust', pauper())).first.status).toBe(503)

  // Another facilitator is not accountable for these.
  const next = await openWatched(market, { store: reopened })
  expect(next.watch.isTrusted()).toBe(true)
  expect((await next.call('/trust')).first.status).toBe(200)
})

test('behavior: a settlement that a crash left unconfirmed is confirmed later', async () => {
  const { call, watch, store } = await openWatched(market)
  const { first, ask } = await call('/trust')
  expect(first.status).toBe(200)
  expect((await readUnsettled(store)).map(({ state }) => state)).toEqual(['reported'])
  const restarted = await openWatched(market, { store })
  expect(await readUnsettled(store)).toEqual([])
  expect([watch.isTrusted(), restarted.watch.isTrusted()]).toEqual([true, true])
  expect(await ask()).toEqual(first)
})

test('behavior: the transaction of another payment of the same payer confirms nothing', async () => {
  const { call, lie, untilMissing, store } = await openWatched(market, { confirm: 'before' })
  const { first } = await call('/trust')
  expect(first.status).toBe(200)
  await lie(claiming('before', String(first.transaction)))
  expect((await call('/trust')).first).toMatchObject({ status: 503, code: 'settlement_unknown' })
  await untilMissing(1)
  expect((await readUnsettled(store)).map(({ state }) => state)).toEqual(['missing'])
  expect(await earned()).toBe(5000n)
})

test('behavior: a settlement in another transaction than the reported one counts, and the payer gets the answer', async () => {
  const { call, lie, watch, store } = await openWatched(market, { confirm: 'before' })
  await lie(claiming('after'))
  const { first, ask, nonce } = await call('/trust')
  expect(first).toMatchObject({ status: 503, code: 'settlement_unknown' })
  expect(await watch.check()).toMatchObject({ settled: 1, missing: 0 })
  const { chain } = market.economy
  const replayed = await ask()
  expect(replayed.status).toBe(200)
  expect(replayed.transaction).not.toBe(NOWHERE)
  const key = { network: chain.network, asset: chain.usdc, from: bot().address, nonce }
  expect(await readClaim(store, key, Date.now())).toMatchObject({
    state: 'settled',
    txHash: replayed.transaction,
  })
  expect(await earned()).toBe(5000n)
})

test('error: while the chain cannot be read, cheap answers are sold and dear ones refused without a charge', async () => {
  const { call, store, untilMissing } = await openWatched(market, { rpcUrl: NOWHERE_URL })
  expect((await call('/data/full')).first).toMatchObject({ status: 503, code: 'chain_unavailable' })
  expect(await earned()).toBe(0n)
  expect((await call('/trust')).first.status).toBe(200)
  expect(await earned()).toBe(5000n)
  // It is no evidence against the facilitator yet.
  await untilMissing(0)
  expect((await readUnsettled(store)).map(({ state }) => state)).toEqual(['reported'])
})
