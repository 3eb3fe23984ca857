import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import {
  createMemoryStore,
  ProblemError,
  readUnsettled,
  UNCHARGED_CALLS,
} from '@touchstone402/server/testing'
import { decodeBase64Json } from '@touchstone402/shared'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { TRUST_PRICE, useMarket } from './support/market.ts'
import { signFor } from './support/sign.ts'

const market = useMarket()
const { bot, earned, open } = market
const SOME_SIGNATURE = `0x${'11'.repeat(65)}`

test('error: refuses an invalid query with 400 and no charge', async () => {
  const shop = await open()
  const lines = readFileSync(
    new URL('../packages/shared/fixtures/malformed-queries.txt', import.meta.url),
    'utf8',
  )
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t')[0] ?? '')
  const aboutEndpoint = lines.filter((line) => line.startsWith('endpoint'))
  expect(aboutEndpoint.length).toBeGreaterThan(2)
  for (const [path, queries] of [
    ['/trust', aboutEndpoint],
    // The endpoint is required there, so every line is invalid.
    ['/trust/history', ['', ...lines]],
  ] as const) {
    const { headers } = await signFor(`${shop.origin}${path}`, bot(), 2)
    for (const query of queries) {
      const response = await fetch(`${shop.origin}${path}?${query}`, { headers })
      expect([path, query, response.status]).toEqual([path, query, 400])
      expect(await response.json()).toMatchObject({ code: 'invalid_query' })
    }
  }
  expect(shop.runs).toEqual({ trust: 0, trustHistory: 0 })
  expect(await earned()).toBe(0n)
})

test('error: does not charge if the handler refuses, fails or hangs, and the payment stays valid', async () => {
  let act: () => Promise<void> | void = () => {}
  const shop = await open({ beforeAnswer: () => act() })
  const { headers } = await signFor(`${shop.origin}/trust`, bot(), 2)
  const ask = async () => (await fetch(`${shop.origin}/trust`, { headers })).status
  act = () => {
    throw new ProblemError(404, 'never_seen', 'Never seen.')
  }
  expect(await ask()).toBe(404)
  act = () => {
    throw new Error('boom')
  }
  expect(await ask()).toBe(500)
  expect(await earned()).toBe(0n)
  act = () => {}
  expect(await ask()).toBe(200)
  expect(await earned()).toBe(TRUST_PRICE)
})

test('error: does not charge a client that disconnects before the settlement', async () => {
  let entered = () => {}
  let finish = () => {}
  const inside = new Promise<void>((resolve) => {
    entered = resolve
  })
  const gate = new Promise<void>((resolve) => {
    finish = resolve
  })
  const store = createMemoryStore()
  const shop = await open({
    store,
    beforeAnswer: () => {
      entered()
      return gate
    },
  })
  const { headers } = await signFor(`${shop.origin}/trust`, bot(), 2)
  const call = request(`${shop.origin}/trust`, { headers })
  call.on('error', () => {})
  call.end()
  await inside
  call.destroy()
  await new Promise((resolve) => setTimeout(resolve, 50))
  finish()
  await expect.poll(() => readUnsettled(store)).toEqual([])
  expect(await earned()).toBe(0n)
  // The same payment works later.
  const returned = await fetch(`${shop.origin}/trust`, { headers })
  expect([returned.status, returned.headers.get('idempotent-replayed')]).toEqual([200, null])
  expect(await earned()).toBe(TRUST_PRICE)
})

test('error: refuses every flaw in a payment with a 402 that names it, before a handler runs', async () => {
  const shop = await open()
  const now = Math.floor(Date.now() / 1000)
  const url = `${shop.origin}/trust`
  const flaws: [string, 1 | 2, Parameters<typeof signFor>[3]][] = [
    ['invalid_exact_evm_payload_authorization_value', 2, { authorization: { value: '4999' } }],
    ['invalid_exact_evm_payload_authorization_value', 1, { authorization: { value: '5001' } }],
    ['invalid_exact_evm_payload_recipient_mismatch', 1, { authorization: { to: bot().address } }],
    [
      'invalid_exact_evm_payload_authorization_valid_before',
      2,
      { authorization: { validBefore: String(now + 5) } },
    ],
    [
      'invalid_exact_evm_payload_authorization_valid_before',
      2,
      { authorization: { validBefore: '99999999999' } },
    ],
    [
      'invalid_exact_evm_payload_authorization_valid_before',
      1,
      { authorization: { validBefore: '1e9' }, signature: SOME_SIGNATURE },
    ],
    [
      'invalid_exact_evm_payload_authorization_valid_after',
      2,
      { authorization: { validAfter: String(now + 60) } },
    ],
    ['invalid_x402_version', 2, { document: { x402Version: 1 } }],
    ['invalid_network', 1, { document: { network: 'base-sepolia' } }],
    ['invalid_scheme', 1, { document: { scheme: 'upto' } }],
    ['invalid_payload', 2, { document: { accepted: null } }],
    ['invalid_payload', 2, { authorization: { nonce: '0x12' }, signature: SOME_SIGNATURE }],
    ['invalid_payload', 2, { signature: '0x' }],
    ['invalid_exact_evm_signature', 2, { signature: SOME_SIGNATURE }],
  ]
  for (const [error, version, overrides] of flaws) {
    const { headers } = await signFor(url, bot(), version, overrides)
    const response = await fetch(url, { headers })
    expect([error, response.status]).toEqual([error, 402])
    expect(await response.json()).toMatchObject({ x402Version: 1, error })
    expect(decodeBase64Json(response.headers.get('PAYMENT-REQUIRED') ?? '')).toMatchObject({ error })
  }
  for (const header of ['', 'nonsense', 'e30=', `${'A'.repeat(9000)}`]) {
    expect((await fetch(url, { headers: { 'PAYMENT-SIGNATURE': header } })).status).toBe(402)
    expect((await fetch(url, { headers: { 'X-PAYMENT': header } })).status).toBe(402)
  }
  expect(shop.runs.trust).toBe(0)
  expect(await earned()).toBe(0n)
})

test('error: refuses a payer without funds with 402 and releases the claim', async () => {
  const store = createMemoryStore()
  const shop = await open({ store })
  const pauper = privateKeyToAccount(generatePrivateKey())
  const { headers } = await signFor(`${shop.origin}/trust`, pauper, 2)
  const response = await fetch(`${shop.origin}/trust`, { headers })
  expect(response.status).toBe(402)
  expect(await response.json()).toMatchObject({ error: 'invalid_exact_evm_transaction_simulation_failed' })
  expect(shop.runs.trust).toBe(0)
  expect(await readUnsettled(store)).toEqual([])
})

test('error: with the facilitator down, still serves challenges and refuses payments with 503', async () => {
  const shop = await open({ facilitator: { url: 'http://127.0.0.1:1' } })
  const { headers } = await signFor(`${shop.origin}/trust`, bot(), 2)
  const response = await fetch(`${shop.origin}/trust`, { headers })
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('10')
  expect(await response.json()).toMatchObject({ code: 'facilitator_unavailable' })
  expect(shop.runs.trust).toBe(0)
})

test('error: sells nothing if the claim store is closed', async () => {
  const store = createMemoryStore()
  const shop = await open({ store })
  await store.close()
  const { headers } = await signFor(`${shop.origin}/trust`, bot(), 2)
  const response = await fetch(`${shop.origin}/trust`, { headers })
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ code: 'store_unavailable' })
  expect(shop.runs.trust).toBe(0)
  expect(await earned()).toBe(0n)
})

test('error: refuses too many uncharged calls of one payer with 429', async () => {
  const shop = await open({
    beforeAnswer: () => {
      throw new ProblemError(404, 'never_seen', 'Never seen.')
    },
    paywall: { uncharged: { ...UNCHARGED_CALLS, payer: { points: 2, windowSeconds: 60 } } },
  })
  const { headers } = await signFor(`${shop.origin}/trust`, bot(), 2)
  const statuses = []
  for (let call = 0; call < 3; call++)
    statuses.push((await fetch(`${shop.origin}/trust`, { headers })).status)
  expect(statuses).toEqual([404, 404, 429])
})
