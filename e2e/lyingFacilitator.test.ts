import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createConfirmation,
  createMemoryStore,
  createSettlementWatch,
  openStore,
  type Store,
} from '@touchstone402/server/testing'
import { decodeBase64Json } from '@touchstone402/shared'
import { createPublicClient, createTestClient, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test } from 'vitest'
import { chainAhead } from './support/chainAhead.ts'
import { type Fault, startFaultyFacilitator } from './support/faultyFacilitator.ts'
import { useMarket } from './support/market.ts'
import { signFor } from './support/sign.ts'

const market = useMarket()
const { bot, earned } = market

/** A transaction that does not exist. */
const NOWHERE = `0x${'ab'.repeat(32)}`
const NOWHERE_URL = 'http://127.0.0.1:1'

const claiming = (transaction: string, when: 'before' | 'after' = 'before'): Fault => ({
  kind: 'answer',
  when,
  status: 200,
  body: JSON.stringify({ isValid: true, success: true, transaction, network: 'base' }),
})
const pauper = () => privateKeyToAccount(generatePrivateKey())

/** Opens a shop behind a facilitator that can lie, and the watch over its settlements. */
async function openWatched(
  options: {
    store?: Store
    rpcUrl?: string
    confirm?: 'before' | 'after'
    facilitator?: Awaited<ReturnType<typeof startFaultyFacilitator>>
  } = {},
) {
  const { chain } = market.economy
  const facilitator = options.facilitator ?? (await startFaultyFacilitator(market.economy.facilitator.url))
  if (!options.facilitator) onTestFinished(() => facilitator.close())
  const store = options.store ?? createMemoryStore()
  const client = createPublicClient({ transport: http(options.rpcUrl ?? chain.rpcUrl, { retryCount: 0 }) })
  const distrusted: unknown[] = []
  const watch = createSettlementWatch({
    claims: store.claims,
    chain: chainAhead(client),
    network: chain.network,
    facilitatorUrl: facilitator.url,
    now: Date.now,
    onDistrust: (doubts) => distrusted.push(doubts),
  })
  await watch.check()
  const { confirm = null } = options
  const confirmation = createConfirmation({
    chain: client,
    confirm,
    isTrusted: watch.isTrusted,
    waitMs: 600,
    reachMs: 3000,
  })
  const shop = await market.open({ store, facilitator: { url: facilitator.url }, paywall: { confirmation } })
  const call = async (path: string, account = bot()) => {
    const { headers, nonce } = await signFor(shop.origin + path, account, 2)
    const ask = async () => {
      const response = await fetch(shop.origin + path, { headers })
      const { code }: { code?: string } = await response.json()
      const receipt = decodeBase64Json(response.headers.get('PAYMENT-RESPONSE') ?? '')
      return { status: response.status, code, transaction: receipt?.transaction }
    }
    return { nonce, ask, first: await ask() }
  }
  const lie = (fault = claiming(NOWHERE)) => facilitator.set({ verify: claiming(NOWHERE), settle: fault })
  /** Checks until as many settlements are missing: the chain's time must reach that of the reports. */
  const untilMissing = (count: number) => {
    const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) })
    const check = async () => {
      await node.mine({ blocks: 1 })
      return (await watch.check())?.missing
    }
    return expect.poll(check).toBe(count)
  }
  return { store, shop, watch, distrusted, facilitator, call, lie, untilMissing }
}

test('default: /data/full is not delivered to an unfunded payer of a facilitator that lies', async () => {
  const { call, lie, untilMissing, store } = await openWatched()
  await lie()
  const { first, ask } = await call('/data/full', pauper())
  expect(first).toMatchObject({ status: 503, code: 'settlement_unknown' })
  expect((await store.claims.unsettled()).map(({ state }) => state)).toEqual(['reported'])
  await untilMissing(1)
  expect(await ask()).toMatchObject({ status: 503, code: 'settlement_unknown' })
  expect(await earned()).toBe(0n)
})

test('behavior: delivers a dear answer once the chain shows its settlement', async () => {
  const { call, store } = await openWatched()
  const { first } = await call('/data/full')
  expect(first.status).toBe(200)
  expect(await store.claims.unsettled()).toEqual([])
  expect(await earned()).toBe(1_000_000n)
})

test('behavior: after three missing settlements every answer waits for the chain, also after a restart', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'claims-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const store = await openStore({ databaseUrl: null, dataDir: directory })
  const { call, lie, untilMissing, watch, distrusted, facilitator, shop } = await openWatched({ store })
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
  const again = await openWatched({ store: reopened, facilitator })
  expect(again.watch.isTrusted()).toBe(false)
  await again.lie()
  expect((await again.call('/trust', pauper())).first.status).toBe(503)

  // Another facilitator is not accountable for these.
  const next = await openWatched({ store: reopened })
  expect(next.watch.isTrusted()).toBe(true)
  expect((await next.call('/trust')).first.status).toBe(200)
})

test('behavior: a settlement that a crash left unconfirmed is confirmed later', async () => {
  const { call, watch, store } = await openWatched()
  const { first, ask } = await call('/trust')
  expect(first.status).toBe(200)
  expect((await store.claims.unsettled()).map(({ state }) => state)).toEqual(['reported'])
  const restarted = await openWatched({ store })
  expect(await store.claims.unsettled()).toEqual([])
  expect([watch.isTrusted(), restarted.watch.isTrusted()]).toEqual([true, true])
  expect(await ask()).toEqual(first)
})

test('behavior: the transaction of another payment of the same payer confirms nothing', async () => {
  const { call, lie, untilMissing, store } = await openWatched({ confirm: 'before' })
  const { first } = await call('/trust')
  expect(first.status).toBe(200)
  await lie(claiming(String(first.transaction)))
  expect((await call('/trust')).first).toMatchObject({ status: 503, code: 'settlement_unknown' })
  await untilMissing(1)
  expect((await store.claims.unsettled()).map(({ state }) => state)).toEqual(['missing'])
  expect(await earned()).toBe(5000n)
})

test('behavior: a settlement in another transaction than the reported one counts, and the payer gets the answer', async () => {
  const { call, lie, watch, store } = await openWatched({ confirm: 'before' })
  await lie(claiming(NOWHERE, 'after'))
  const { first, ask, nonce } = await call('/trust')
  expect(first).toMatchObject({ status: 503, code: 'settlement_unknown' })
  expect(await watch.check()).toMatchObject({ settled: 1, missing: 0 })
  const { chain } = market.economy
  const replayed = await ask()
  expect(replayed.status).toBe(200)
  expect(replayed.transaction).not.toBe(NOWHERE)
  const key = { network: chain.network, asset: chain.usdc, from: bot().address, nonce }
  expect(await store.claims.get(key)).toMatchObject({ state: 'settled', txHash: replayed.transaction })
  expect(await earned()).toBe(5000n)
})

test('error: while the chain cannot be read, cheap answers are sold and dear ones refused without a charge', async () => {
  const { call, store, untilMissing } = await openWatched({ rpcUrl: NOWHERE_URL })
  expect((await call('/data/full')).first).toMatchObject({ status: 503, code: 'chain_unavailable' })
  expect(await earned()).toBe(0n)
  expect((await call('/trust')).first.status).toBe(200)
  expect(await earned()).toBe(5000n)
  // It is no evidence against the facilitator yet.
  await untilMissing(0)
  expect((await store.claims.unsettled()).map(({ state }) => state)).toEqual(['reported'])
})
