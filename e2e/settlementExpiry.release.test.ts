import { createMemoryStore } from '@touchstone402/server/testing'
import { createTestClient, http } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { startEconomy } from './support/economy.ts'
import { reconcile } from './support/reconcile.ts'
import { openShop } from './support/shop.ts'
import { signFor } from './support/sign.ts'

test('behavior: releases a claim without a settlement once its authorization expired', async () => {
  // Its own, since it moves the chain's time.
  const economy = await startEconomy({ sellers: [], clock: 'real' })
  onTestFinished(() => economy.stop())
  const [bot] = economy.wallets.bots
  if (!bot) throw new Error('the economy has no bot')
  const store = createMemoryStore()
  const shop = await openShop({ economy, store, facilitator: { settleTimeoutMs: 500 } })
  onTestFinished(() => shop.close())
  economy.facilitator.faults.settle = { when: 'before', kind: 'timeout' }
  const { headers } = await signFor(`${shop.origin}/trust`, bot, 2)
  expect((await fetch(`${shop.origin}/trust`, { headers })).status).toBe(503)
  expect(await reconcile(store, economy.chain)).toEqual({
    settled: 0,
    owed: 0,
    released: 0,
    open: 1,
    used: 0,
    missing: 0,
    failed: 0,
  })
  const chainClock = createTestClient({ mode: 'anvil', transport: http(economy.chain.rpcUrl) })
  await chainClock.increaseTime({ seconds: 600 })
  await chainClock.mine({ blocks: 1 })
  expect(await reconcile(store, economy.chain, 600_000)).toEqual({
    settled: 0,
    owed: 0,
    released: 1,
    open: 0,
    used: 0,
    missing: 0,
    failed: 0,
  })
  expect(await economy.chain.usdcBalanceOf(economy.wallets.service.address)).toBe(0n)
})
