import { createMemoryLedger } from '@touchstone402/guard'
import { expect, test } from 'vitest'
import { createJumpClock } from '../crawl/testing/jumpClock.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { NOON } from '../store/testing/records.ts'
import { createShopperAccounts } from './accounts.ts'
import { createShopper, type DearTerms } from './createShopper.ts'

const SELLER = `0x${'a1'.repeat(20)}`
const OTHER = `0x${'bb'.repeat(20)}`
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const NETWORK = 'eip155:8453'

/** Opens a shopper of five cents a call and a day, and a seller that asks for an amount to a receiver. */
function setUp() {
  const asks = { amount: '50000', payTo: SELLER }
  let payments = 0
  const ledger = () => ({ ...createMemoryLedger(), close: async () => {} })
  const store = createMemoryStore()
  const clock = createJumpClock(NOON)
  const shopper = createShopper(
    { clock, config: { network: NETWORK } },
    {
      accounts: createShopperAccounts({ store, clock }, `0x${'11'.repeat(32)}`),
      async fetch(input, init) {
        const { url, headers } = new Request(input, init)
        if (headers.has('payment-signature')) {
          payments++
          return Response.json({ ok: true })
        }
        const { amount, payTo } = asks
        const extra = { name: 'USD Coin', version: '2' }
        const entry = { scheme: 'exact', network: NETWORK, asset: USDC, payTo, maxTimeoutSeconds: 60, extra }
        const accepts = [...amount.split(' ')].map((one) => ({ ...entry, amount: one }))
        const challenge = { x402Version: 2, resource: { url }, accepts }
        const header = Buffer.from(JSON.stringify(challenge)).toString('base64')
        return new Response('{}', { status: 402, headers: { 'payment-required': header } })
      },
      service: { url: 'https://touchstone.example' },
      verdictOf: async (endpoint) => ({
        state: 'signed',
        verdict: {
          iss: 'https://touchstone.example',
          endpoint,
          verdict: 'unknown',
          riskLevel: 'unknown',
          flags: [],
          terms: [],
          probes: 0,
          receiverStability: null,
          seq: 1,
          scoreVersion: '1.3.0',
        } as never,
      }),
      limits: { perCallUsd: '0.05', perDayUsd: '0.05' },
      ledger: ledger(),
      fundedLedger: ledger(),
      chain: {
        readContract: async () => true,
        getBlockNumber: async () => 1_000n,
        getLogs: async () => [{ transactionHash: `0x${'cd'.repeat(32)}` }],
      } as never,
    },
  )
  const buy = (path: string, dear?: DearTerms, host = 'shop.example') =>
    shopper.buy(
      { url: `https://${host}/${path}`, method: 'GET', body: null },
      new AbortController().signal,
      dear,
    )
  return { asks, buy, count: () => payments }
}

const funded = { usd: '5', payTo: SELLER, isFunded: true }

test('rule 13, abuse: funded purchases use up nothing of the limit per day, however many there are', async () => {
  const { asks, buy } = setUp()
  asks.amount = '5000000'
  expect(await buy('a', funded)).toMatchObject({ kind: 'bought', settled: true, delivered: true })
  expect(await buy('b', funded)).toMatchObject({ kind: 'bought' })
  asks.amount = '50000'
  expect(await buy('c')).toMatchObject({ kind: 'bought' })
  expect(await buy('d', undefined, 'other.example')).toMatchObject({ kind: 'refused', isOutOfBudget: true })
})

test('rule 13, abuse: a funded call that asks for another receiver than the one that paid is refused', async () => {
  const { asks, buy, count } = setUp()
  asks.amount = '5000000'
  asks.payTo = OTHER
  let isSent = false
  const onSent = () => {
    isSent = true
  }
  expect(await buy('a', { ...funded, onSent })).toMatchObject({ kind: 'refused', isOutOfBudget: false })
  expect([count(), isSent]).toEqual([0, false])
  asks.payTo = SELLER
  expect(await buy('a', { ...funded, onSent })).toMatchObject({ kind: 'bought', payTo: SELLER })
  expect([count(), isSent]).toEqual([1, true])
})

test('rule 14: the confirmation of a dear call is paid within the limit per day', async () => {
  const { asks, buy } = setUp()
  asks.amount = '60000'
  const own = await buy('a', { ...funded, isFunded: false })
  expect(own).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/^OVER_/) })
})

test('rule 13, abuse: a funded purchase pays the dearest tier, not a cheap one beside it', async () => {
  const { asks, buy } = setUp()
  asks.amount = '1000 5000000 6000000'
  expect(await buy('a', funded)).toMatchObject({ kind: 'bought', amountAtomic: '5000000' })
  expect(await buy('b')).toMatchObject({ kind: 'bought', amountAtomic: '1000' })
})
