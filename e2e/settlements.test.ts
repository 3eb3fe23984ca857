import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryStore, openStore, withUnits } from '@touchstone402/server/testing'
import { decodeBase64Json } from '@touchstone402/shared'
import { createTestClient, createWalletClient, http, parseAbi, parseSignature } from 'viem'
import { base } from 'viem/chains'
import { expect, onTestFinished, test } from 'vitest'
import { TRUST_PRICE, useMarket } from './support/market.ts'
import { reconcile } from './support/reconcile.ts'
import { signAuthorization, signFor } from './support/sign.ts'

const market = useMarket()
const { balance, bot, earned, open } = market

test('behavior: finds an unreported settlement on chain, and the payer gets the response', async () => {
  const store = createMemoryStore()
  for (const [kind, version] of [
    ['reset', 1],
    ['500', 2],
    ['timeout', 2],
  ] as const) {
    const shop = await open({ store, facilitator: { settleTimeoutMs: 1000 } })
    market.economy.facilitator.faults.settle = { when: 'after', kind }
    const before = await balance()
    const { headers, nonce } = await signFor(`${shop.origin}/trust`, bot(), version)
    const response = await fetch(`${shop.origin}/trust`, { headers })
    expect([kind, response.status]).toEqual([kind, 503])
    const problem = await response.json()
    expect(problem).toMatchObject({ code: 'settlement_unknown' })
    expect(problem.receipt).toContain(nonce)
    expect((await balance()) - before).toBe(TRUST_PRICE)
    // Still unknown: no second sale and no new challenge.
    expect((await fetch(`${shop.origin}/trust`, { headers })).status).toBe(503)

    expect(await reconcile(store, market.economy.chain)).toMatchObject({
      owed: 1,
      failed: 0,
    })
    const delivered = await fetch(`${shop.origin}/trust`, { headers })
    expect(delivered.status).toBe(200)
    expect(delivered.headers.get('idempotent-replayed')).toBe('true')
    expect(decodeBase64Json(delivered.headers.get('PAYMENT-RESPONSE') ?? '')).toMatchObject({ success: true })
    expect(shop.runs.trust).toBe(1)
    expect((await balance()) - before).toBe(TRUST_PRICE)
    market.economy.facilitator.faults.settle = undefined
  }
})

test('behavior: claims survive a restart', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'claims-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const first = await openStore({ databaseUrl: null, dataDir: directory })
  const shop = await open({ store: first })
  const { headers } = await signFor(`${shop.origin}/trust`, bot(), 2)
  const sold = await fetch(`${shop.origin}/trust`, { headers })
  expect(sold.status).toBe(200)
  await shop.close()
  await first.close()

  const store = await openStore({ databaseUrl: null, dataDir: directory })
  onTestFinished(() => store.close())
  const reopened = await open({ store })
  const again = await fetch(`${reopened.origin}/trust`, { headers })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await again.text()).toBe(await sold.text())
  const history = `${reopened.origin}/trust/history?endpoint=https%3A%2F%2Fknown.example%2F`
  expect((await fetch(history, { headers })).status).toBe(402)
  expect(reopened.runs).toEqual({ trust: 0, trustHistory: 0 })
})

test('behavior: releases an authorization that was cancelled, or whose nonce was used for another transfer', async () => {
  const store = createMemoryStore()
  const shop = await open({ store, facilitator: { settleTimeoutMs: 300 } })
  market.economy.facilitator.faults.settle = { when: 'before', kind: 'timeout' }
  const { publicClient: chain, rpcUrl, usdc } = market.economy.chain
  const wallet = createWalletClient({ account: bot(), chain: base, transport: http(rpcUrl) })
  const abi = parseAbi([
    'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
    'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  ])
  const domain = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: usdc }

  const cancelled = await signFor(`${shop.origin}/trust`, bot(), 2)
  expect((await fetch(`${shop.origin}/trust`, { headers: cancelled.headers })).status).toBe(503)
  const types = {
    CancelAuthorization: [
      { name: 'authorizer', type: 'address' },
      { name: 'nonce', type: 'bytes32' },
    ],
  } as const
  const message = { authorizer: bot().address, nonce: cancelled.nonce }
  const cancellation = await bot().signTypedData({
    domain,
    types,
    primaryType: 'CancelAuthorization',
    message,
  })
  const { r, s, v } = parseSignature(cancellation)
  await chain.waitForTransactionReceipt({
    hash: await wallet.writeContract({
      address: usdc,
      abi,
      functionName: 'cancelAuthorization',
      args: [bot().address, cancelled.nonce, Number(v), r, s],
    }),
  })

  const spent = await signFor(`${shop.origin}/trust`, bot(), 2)
  expect((await fetch(`${shop.origin}/trust`, { headers: spent.headers })).status).toBe(503)
  const elsewhere = {
    from: bot().address,
    to: bot().address,
    value: '5000',
    validAfter: '0',
    validBefore: '99999999999',
    nonce: spent.nonce,
  }
  await chain.waitForTransactionReceipt({
    hash: await wallet.writeContract({
      address: usdc,
      abi,
      functionName: 'transferWithAuthorization',
      args: [
        bot().address,
        bot().address,
        5000n,
        0n,
        99999999999n,
        spent.nonce,
        await signAuthorization(bot(), elsewhere, usdc),
      ],
    }),
  })

  // Both events lie before the last thousand blocks, which one request for logs covers.
  const node = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
  await node.mine({ blocks: 1100, interval: 0 })
  const result = await reconcile(store, market.economy.chain)
  expect(result).toEqual({ settled: 0, owed: 0, released: 2, open: 0, used: 0, missing: 0, failed: 0 })
  expect(await earned()).toBe(0n)
})

test('behavior: after a crash, releases a claim without a settlement and resolves one with a settlement on chain', async () => {
  const store = createMemoryStore()
  let handled = () => {}
  const stuck = new Promise<void>((resolve) => {
    handled = resolve
  })
  const shop = await open({
    store,
    beforeAnswer: () => {
      handled()
      return new Promise(() => {})
    },
  })
  const { headers } = await signFor(`${shop.origin}/trust`, bot(), 2)
  void fetch(`${shop.origin}/trust`, { headers }).catch(() => {})
  await stuck
  const reconcileLater = (later: number) => reconcile(store, market.economy.chain, later)
  expect(await reconcileLater(0)).toMatchObject({ open: 1, released: 0 })
  expect(await reconcileLater(181_000)).toMatchObject({ open: 0, released: 1 })
  const after = await open({ store })
  expect((await fetch(`${after.origin}/trust`, { headers })).status).toBe(200)
  expect(await reconcileLater(0)).toMatchObject({ open: 0, settled: 1 })

  // The payment settled, and the process died before it recorded that.
  const { headers: paid } = await signFor(`${shop.origin}/trust`, bot(), 1)
  const dying = await open({
    store: withUnits(store, {
      advancePayment: (key, to, change) =>
        to === 'settling'
          ? store.write('advancePayment', key, to, change)
          : Promise.reject(new Error('killed')),
    }),
  })
  expect((await fetch(`${dying.origin}/trust`, { headers: paid })).status).toBe(200)
  expect((await fetch(`${after.origin}/trust`, { headers: paid })).status).toBe(409)
  expect(await reconcileLater(0)).toMatchObject({ open: 1, settled: 0 })
  expect(await reconcileLater(91_000)).toMatchObject({ open: 0, owed: 1 })
  const again = await fetch(`${after.origin}/trust`, { headers: paid })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})
