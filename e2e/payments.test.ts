import { setTimeout as sleep } from 'node:timers/promises'
import { createMemoryStore, withReads } from '@touchstone402/server/testing'
import { decodeBase64Json, OPERATIONS, PAID_OPERATIONS } from '@touchstone402/shared'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment as wrapV2, x402Client } from '@x402/fetch'
import { createTestClient, http } from 'viem'
import { expect, test } from 'vitest'
import { wrapFetchWithPayment as wrapV1 } from 'x402-fetch'
import { TRUST_PRICE, useMarket } from './support/market.ts'
import { signFor } from './support/sign.ts'

const market = useMarket()
const { bot, earned, open } = market
const SOME_SIGNATURE = `0x${'11'.repeat(80)}`

test('default', async () => {
  const shop = await open()
  const v2 = wrapV2(fetch, new x402Client().register('eip155:*', new ExactEvmScheme(bot())))
  const v1 = wrapV1(fetch, bot() as unknown as Parameters<typeof wrapV1>[1])

  const second = await v2(`${shop.origin}/trust`)
  expect(second.status).toBe(200)
  expect(await second.json()).toMatchObject({ services: [] })
  expect(second.headers.get('cache-control')).toBe('private, no-store')
  expect(second.headers.get('etag')).toBeNull()
  const receipt = decodeBase64Json(second.headers.get('PAYMENT-RESPONSE') ?? '')
  expect(receipt).toMatchObject({ success: true, network: 'eip155:8453' })

  const first = await v1(`${shop.origin}/trust`)
  expect(first.status).toBe(200)
  expect(decodeBase64Json(first.headers.get('X-PAYMENT-RESPONSE') ?? '')).toMatchObject({
    success: true,
    network: 'base',
    payer: bot().address,
  })
  expect(await earned()).toBe(2n * TRUST_PRICE)
  expect(shop.runs.trust).toBe(2)
  const transfer = await market.economy.chain.publicClient.getTransactionReceipt({
    hash: String(receipt?.transaction) as `0x${string}`,
  })
  expect(transfer.status).toBe('success')
})

test('behavior: handles and delivers one of 50 concurrent copies of a payment, and refuses the others with a retry', async () => {
  for (const version of [1, 2] as const) {
    let finish = () => {}
    const gate = new Promise<void>((resolve) => {
      finish = resolve
    })
    const shop = await open({ beforeAnswer: () => gate })
    const { headers } = await signFor(`${shop.origin}/trust`, bot(), version)
    const calls = Array.from({ length: 50 }, () => fetch(`${shop.origin}/trust`, { headers }))
    const losers: Response[] = []
    for (const call of calls) void call.then((response) => losers.push(response))
    // All losers get their response while the winner is still running.
    await expect.poll(() => losers.length).toBe(49)
    expect(losers.every((response) => response.status === 409)).toBe(true)
    expect(losers.every((response) => Number(response.headers.get('retry-after')) > 0)).toBe(true)
    finish()
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(shop.runs.trust).toBe(1)
  }
  expect(await earned()).toBe(2n * TRUST_PRICE)
})

test('behavior: the claim decides even if every copy looked up claims before any was made', async () => {
  const store = createMemoryStore()
  // As with several processes on one store, where no look-up sees the other claims in time.
  const blind = withReads(store, 'payment', () => [])
  const shop = await open({ store: blind, beforeAnswer: () => sleep(100) })
  const { headers } = await signFor(`${shop.origin}/trust`, bot(), 2)
  const copies = await Promise.all(
    Array.from({ length: 10 }, () => fetch(`${shop.origin}/trust`, { headers })),
  )
  expect(copies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
  expect(shop.runs.trust).toBe(1)
  expect(await earned()).toBe(TRUST_PRICE)
})

test('behavior: replays the identical response for the same request only', async () => {
  const shop = await open()
  const { headers } = await signFor(`${shop.origin}/trust`, bot(), 2)
  const first = await fetch(`${shop.origin}/trust`, { headers })
  const again = await fetch(`${shop.origin}/trust?unknown=ignored`, { headers })
  expect([first.status, again.status]).toEqual([200, 200])
  expect(await again.text()).toBe(await first.text())
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.headers.get('payment-response')).toBe(first.headers.get('payment-response'))

  const known = encodeURIComponent('https://known.example/')
  for (const path of [`/trust?endpoint=${known}`, `/trust/history?endpoint=${known}`]) {
    const elsewhere = await fetch(shop.origin + path, { headers })
    expect([path, elsewhere.status]).toEqual([path, 402])
    expect(await elsewhere.json()).toMatchObject({ error: 'payment_already_used' })
  }
  expect(shop.runs).toEqual({ trust: 1, trustHistory: 0 })
  expect(await earned()).toBe(TRUST_PRICE)
})

test('behavior: an equal call in another spelling gets the stored answer', async () => {
  const shop = await open()
  const token = '833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
  const spellings = [
    [`/pulse?token=0x${token}`, `/pulse?window=1h&partial=0&token=0x${token.toLowerCase()}`],
    [`/whales?token=0x${token}&min=10.50`, `/whales?min=10.5&token=0x${token.toUpperCase()}`],
    ['/trust/dataset?limit=0100', '/trust/dataset?limit=100&all=0'],
    ['/trust?endpoint=https://known.example/?x', '/trust?endpoint=HTTPS%3A%2F%2Fknown.example%3A443%2F'],
  ]
  for (const [paid = '', equal = ''] of spellings) {
    const { headers } = await signFor(shop.origin + paid, bot(), 2)
    expect([paid, (await fetch(shop.origin + paid, { headers })).status]).toEqual([paid, 200])
    const again = await fetch(shop.origin + equal, { headers })
    expect([equal, again.status, again.headers.get('idempotent-replayed')]).toEqual([equal, 200, 'true'])
  }
})

test('behavior: refuses HEAD and other methods with 405 on every paid path, with or without a payment', async () => {
  const shop = await open()
  for (const id of PAID_OPERATIONS) {
    const url = shop.origin + OPERATIONS[id].path
    const { headers } = await signFor(url, bot(), 2)
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      for (const init of [{ method }, { method, headers }]) {
        expect([id, method, (await fetch(url, init)).status]).toEqual([id, method, 405])
      }
    }
    expect((await fetch(url, { method: 'OPTIONS' })).status).toBe(204)
  }
  expect(await earned()).toBe(0n)
})

test('behavior: accepts a contract wallet, and replays only for its own signature', async () => {
  const shop = await open()
  const { rpcUrl, mintUsdc } = market.economy.chain
  const wallet = '0x00000000000000000000000000000000000c0de1'
  const test = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
  // Accepts every signature (ERC-1271).
  await test.setCode({ address: wallet, bytecode: '0x631626ba7e60e01b5f5260205ff3' })
  await mintUsdc(wallet, 10_000n)
  const sign = (signature: string, nonce: string) =>
    signFor(`${shop.origin}/trust`, bot(), 2, { authorization: { from: wallet, nonce }, signature })
  const nonce = `0x${'42'.repeat(32)}`
  const { headers } = await sign(SOME_SIGNATURE, nonce)
  const first = await fetch(`${shop.origin}/trust`, { headers })
  expect(first.status).toBe(200)
  const again = await fetch(`${shop.origin}/trust`, { headers })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const forged = await sign(`0x${'22'.repeat(80)}`, nonce)
  expect((await fetch(`${shop.origin}/trust`, { headers: forged.headers })).status).toBe(402)
  expect(shop.runs.trust).toBe(1)
  expect(await earned()).toBe(TRUST_PRICE)
})
