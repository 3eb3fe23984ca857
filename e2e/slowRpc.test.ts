import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CONFIRMATION_LIMITS,
  createConfirmation,
  createHedgedChain,
  createMemoryStore,
  createPaymentContext,
} from '@touchstone402/server/testing'
import { createTransferSource } from '@touchstone402/transfers'
import { expect, onTestFinished, test } from 'vitest'
import { useMarket } from './support/market.ts'
import { listen } from './support/serve.ts'
import { signFor } from './support/sign.ts'

const market = useMarket()

const CHAIN_ID = 8453

/** Starts an RPC in front of the chain that answers after a time; at infinity it accepts requests and never answers. */
async function startSlowRpc(delayMs: number): Promise<string> {
  const server = await listen(
    createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      if (delayMs === Number.POSITIVE_INFINITY) return
      await sleep(delayMs)
      const answer = await fetch(market.economy.chain.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: Buffer.concat(chunks),
      })
      response.end(Buffer.from(await answer.arrayBuffer()))
    }),
  )
  onTestFinished(() => server.stop())
  return server.url
}

/** Opens a shop that confirms dear settlements through RPCs, as the service does. */
async function openConfirming(urls: readonly string[]) {
  const source = createTransferSource({ chainId: CHAIN_ID, urls, now: Date.now })
  onTestFinished(() => source.close())
  const store = createMemoryStore()
  const confirmation = createConfirmation(createPaymentContext(store).ctx, {
    chain: createHedgedChain({ rpcs: source.rpcs, chainId: CHAIN_ID, patienceMs: 1000 }),
    isTrusted: () => true,
    ...CONFIRMATION_LIMITS,
  })
  const shop = await market.open({ store, paywall: { confirmation } })
  return async () => {
    const { headers } = await signFor(`${shop.origin}/data/full`, market.bot(), 2)
    const response = await fetch(`${shop.origin}/data/full`, { headers })
    const { code }: { code?: string } = await response.json()
    return { status: response.status, code }
  }
}

test.each([
  ['hangs', Number.POSITIVE_INFINITY],
  ['answers each request after 2 s', 2000],
])(
  'behavior: a dear answer is sold while the preferred RPC %s and another is healthy',
  async (_, delayMs) => {
    const buy = await openConfirming([await startSlowRpc(delayMs), market.economy.chain.rpcUrl])
    for (let call = 0; call < 3; call++) expect(await buy()).toEqual({ status: 200, code: undefined })
    expect(await market.earned()).toBe(3_000_000n)
  },
)

test('error: with every RPC hanging, a dear answer is refused before anything is charged', async () => {
  const buy = await openConfirming([await startSlowRpc(Number.POSITIVE_INFINITY)])
  expect(await buy()).toEqual({ status: 503, code: 'chain_unavailable' })
  expect(await market.earned()).toBe(0n)
})
