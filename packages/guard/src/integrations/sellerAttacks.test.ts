import { setTimeout as sleep } from 'node:timers/promises'
import { decodeBase64Json } from '@touchstone402/shared'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { afterEach, expect, test } from 'vitest'
import { createCountingAccount, STOCK_CLIENTS } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import type { TestServer } from '../testing/listen.ts'
import { aBlock, startRpc, UNUSED, USED } from '../testing/rpc.ts'
import { challenge } from '../testing/seller.ts'
import { createGuard } from './createGuard.ts'

const h = useHarness('@x402/fetch')
const servers: TestServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
})

/** A chain on which the wallet held $0.015 and whose seller collects when it is asked. */
async function openChain(state: { collected: number; held: bigint }, delayMs = 0) {
  const rpc = await startRpc(async (method, [call]: [{ data: string }]) => {
    const isBalance = method === 'eth_call' && call.data.startsWith('0x70a08231')
    const answers: Record<string, unknown> = {
      eth_chainId: '0x2105',
      eth_getBlockByNumber: aBlock(),
      eth_call: state.collected > 0 ? USED : UNUSED,
      eth_getLogs: [],
    }
    const result = isBalance ? `0x${state.held.toString(16).padStart(64, '0')}` : answers[method]
    await sleep(delayMs)
    return result
  })
  servers.push(rpc)
  return rpc
}

test('behavior: a seller that takes the last of the wallet and answers 402 is struck, and its theft is not called a lack of funds', async () => {
  h.know()
  const state = { collected: 0, held: 15_000n }
  h.seller.character = {
    onPaid: (request, response) => {
      state.collected += 1
      state.held = 5_000n
      challenge(h.seller.url, {}, request, response)
    },
  }
  const rpc = await openChain(state)
  const { guard, pay } = h.setUp({ rpcUrls: { 'eip155:8453': rpc.url } })
  const error = await pay(`${h.seller.url}/weather?1`).catch((cause: unknown) => cause)
  await pay(`${h.seller.url}/weather?2`).catch((cause: unknown) => cause)
  expect(error).toMatchObject({ code: 'PAYMENT_SETTLED' })
  expect(error).toMatchObject({ message: expect.not.stringContaining('holds less') })
  expect(await guard.strikes()).not.toEqual([])
})

test('behavior: a false Date does not steer what to do about a collected payment', async () => {
  h.know()
  const state = { collected: 0, held: 15_000_000n }
  h.seller.character = {
    onPaid: (request, response) => {
      state.collected += 1
      response.setHeader('date', new Date(Date.now() + 400 * 86_400_000).toUTCString())
      challenge(h.seller.url, {}, request, response)
    },
  }
  const rpc = await openChain(state)
  const { pay } = h.setUp({ rpcUrls: { 'eip155:8453': rpc.url } })
  const error = await pay(`${h.seller.url}/weather`).catch((cause: unknown) => cause)
  expect(error).toMatchObject({
    code: 'PAYMENT_SETTLED',
    remedy: expect.not.stringContaining('Set the clock'),
  })
})

test('behavior: a false Date does not steer what to do about changed terms', async () => {
  h.know()
  h.seller.character = {
    onPaid: (request, response) => {
      response.setHeader('date', new Date(Date.now() + 400 * 86_400_000).toUTCString())
      challenge(h.seller.url, { terms: [{ amount: '20000' }] }, request, response)
    },
  }
  const { pay } = h.setUp()
  const error = await pay(`${h.seller.url}/weather`).catch((cause: unknown) => cause)
  expect(error).toMatchObject({ code: 'OFFER_CHANGED', remedy: expect.not.stringContaining('Set the clock') })
})

test('behavior: an abort ends the wait for an RPC that is slow', async () => {
  h.know()
  h.seller.character = { onPaid: (request, response) => challenge(h.seller.url, {}, request, response) }
  const rpc = await openChain({ collected: 0, held: 0n }, 400)
  const { pay } = h.setUp({ rpcUrls: { 'eip155:8453': rpc.url } })
  const startedAt = Date.now()
  await pay(`${h.seller.url}/weather`, { signal: AbortSignal.timeout(200) }).catch(() => {})
  expect(Date.now() - startedAt).toBeLessThan(1000)
})

test('behavior: approvals that nobody used do not delay a call by the RPC, one after the other', async () => {
  h.know()
  const rpc = await openChain({ collected: 0, held: 0n }, 100)
  let now = Date.now()
  const { account } = createCountingAccount()
  const guard = createGuard({
    account,
    service: { url: h.service.url },
    rpcUrls: { 'eip155:8453': rpc.url },
    now: () => now,
  })
  // A library below signs by the hooks, and is never heard of again.
  const answer = await fetch(`${h.seller.url}/weather`)
  const required = decodeBase64Json(answer.headers.get('payment-required') ?? '') as never
  for (let count = 0; count < 5; count++) {
    const client = guard.hooks(registerExactEvmScheme(new x402Client(), { signer: account }), {
      method: 'GET',
      url: `${h.seller.url}/weather?${count}`,
    })
    await (client as x402Client).createPaymentPayload(required).catch(() => {})
  }
  now += 121_000
  const pay = STOCK_CLIENTS['@x402/fetch'](guard.fetch(), account)
  const startedAt = Date.now()
  await pay(`${h.seller.url}/weather?other`).catch(() => {})
  expect(Date.now() - startedAt).toBeLessThan(1000)
})
