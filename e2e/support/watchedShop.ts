import {
  createConfirmation,
  createMemoryStore,
  createPaymentContext,
  createSettlementWatch,
  type Log,
  loggedDoubts,
  owedNonces,
  type Store,
} from '@touchstone402/server/testing'
import { decodeBase64Json } from '@touchstone402/shared'
import { createPublicClient, createTestClient, http } from 'viem'
import { expect, onTestFinished } from 'vitest'
import { chainAhead } from './chainAhead.ts'
import { claiming } from './facilitatorAnswers.ts'
import { startFaultyFacilitator } from './faultyFacilitator.ts'
import type { Market } from './market.ts'
import { signFor } from './sign.ts'

type WatchedOptions = {
  store?: Store
  rpcUrl?: string
  confirm?: 'before' | 'after'
  facilitator?: Awaited<ReturnType<typeof startFaultyFacilitator>>
  settleTimeoutMs?: number
  searchMs?: number
}

/** Opens a shop behind a facilitator that can lie, and the watch over its settlements. */
export async function openWatched(market: Market, options: WatchedOptions = {}) {
  const { bot } = market
  const { chain } = market.economy
  const facilitator = options.facilitator ?? (await startFaultyFacilitator(market.economy.facilitator.url))
  if (!options.facilitator) onTestFinished(() => facilitator.close())
  const store = options.store ?? createMemoryStore()
  const client = createPublicClient({ transport: http(options.rpcUrl ?? chain.rpcUrl, { retryCount: 0 }) })
  const distrusted: unknown[] = []
  const owed: string[] = []
  const log: Log = (_level, _message, fields) => {
    distrusted.push(...loggedDoubts([fields]))
    owed.push(...owedNonces([fields]))
  }
  const { confirm = null } = options
  const { ctx } = createPaymentContext(store, {
    confirmSettlements: confirm,
    facilitatorUrl: facilitator.url,
    network: chain.network,
  })
  const watch = createSettlementWatch({ ...ctx, log }, chainAhead(client))
  await watch.check()
  const confirmation = createConfirmation(ctx, {
    chain: client,
    isTrusted: watch.isTrusted,
    waitMs: 600,
    reachMs: 3000,
    searchMs: options.searchMs ?? 600,
  })
  const shop = await market.open({
    store,
    facilitator: {
      url: facilitator.url,
      ...(options.settleTimeoutMs !== undefined && { settleTimeoutMs: options.settleTimeoutMs }),
    },
    paywall: { confirmation },
    log,
  })
  const call = async (path: string, account = bot(), version: 1 | 2 = 2) => {
    const { headers, nonce } = await signFor(shop.origin + path, account, version)
    const ask = async () => {
      const response = await fetch(shop.origin + path, { headers })
      const { code }: { code?: string } = await response.json()
      const receipt = decodeBase64Json(response.headers.get('PAYMENT-RESPONSE') ?? '')
      return { status: response.status, code, transaction: receipt?.transaction, success: receipt?.success }
    }
    return { nonce, headers, ask, first: await ask() }
  }
  const lie = (settle = claiming('before')) => facilitator.set({ verify: claiming('before'), settle })
  /** Checks until as many settlements are missing: the chain's time must reach that of the reports. */
  const untilMissing = (count: number) => {
    const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) })
    const check = async () => {
      await node.mine({ blocks: 1 })
      return (await watch.check())?.missing
    }
    return expect.poll(check).toBe(count)
  }
  /** Mines blocks until the test ends, as a live chain does. */
  const mineOn = () => {
    const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) })
    const timer = setInterval(() => void node.mine({ blocks: 1 }), 100)
    onTestFinished(() => clearInterval(timer))
  }
  return { mineOn, store, shop, watch, distrusted, owed, facilitator, call, lie, untilMissing }
}
