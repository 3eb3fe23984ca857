import type { Economy } from '@touchstone402/economy'
import { createMemoryStore } from '@touchstone402/server/testing'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest'
import { useEconomy } from './economy.ts'
import { openShop, type Shop, type ShopOptions } from './shop.ts'

/** Price of `/trust` in atomic USDC. */
export const TRUST_PRICE = 5000n

/** The chain and the facilitator of the shared economy, and shops that use them. */
export type Market = {
  readonly economy: Economy
  /** Opens a shop until the test ends, by default with a new store. */
  open(options?: Partial<ShopOptions>): Promise<Shop>
  /** Returns an account with USDC. */
  bot(): PrivateKeyAccount
  /** Returns the balance of the service. */
  balance(): Promise<bigint>
  /** Returns what the service earned since the test began. */
  earned(): Promise<bigint>
}

/** Opens a market for the tests of a file. */
export function useMarket(): Market {
  let economy: Economy | undefined
  let before = 0n
  const started = () => {
    if (!economy) throw new Error('the economy only runs during tests')
    return economy
  }
  const balance = () => started().chain.usdcBalanceOf(started().wallets.service.address)

  beforeAll(async () => {
    economy = await useEconomy()
  })
  beforeEach(async () => {
    before = await balance()
  })
  afterEach(() => {
    started().facilitator.faults.settle = undefined
  })

  return {
    get economy() {
      return started()
    },
    open: async (options = {}) => {
      const shop = await openShop({ economy: started(), store: createMemoryStore(), ...options })
      onTestFinished(() => shop.close())
      return shop
    },
    bot: () => {
      const [account] = started().wallets.bots
      if (!account) throw new Error('the economy has no bot')
      return account
    },
    balance,
    earned: async () => (await balance()) - before,
  }
}
