import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment as wrapV2, x402Client } from '@x402/fetch'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { decodeXPaymentResponse, wrapFetchWithPayment as wrapV1 } from 'x402-fetch'
import { type Economy, type SellerHandle, start } from './index.ts'

let economy: Economy
beforeAll(async () => {
  economy = await start()
})
afterAll(() => economy.stop())
afterEach(() => {
  economy.facilitator.faults.settle = undefined
})

const bot = (index: number) => {
  const account = economy.wallets.bots[index]
  if (!account) throw new Error(`no bot ${index}`)
  return account
}
const seller = (id: string): SellerHandle => {
  const handle = economy.sellers[id]
  if (!handle) throw new Error(`no seller ${id}`)
  return handle
}
const payV2 = (index = 0) =>
  wrapV2(economy.fetch, new x402Client().register('eip155:8453', new ExactEvmScheme(bot(index))))
const payV1 = (index = 0) => wrapV1(economy.fetch, bot(index), 100_000n)

/** Buys once and returns the change of the balances. */
async function buy(id: string, pay: typeof fetch | ReturnType<typeof payV1>, index = 0) {
  const { url, method, receiver } = seller(id)
  const before = [
    await economy.chain.usdcBalanceOf(bot(index).address),
    await economy.chain.usdcBalanceOf(receiver),
  ]
  const paidBefore = seller(id).paid
  const response = await pay(url, { method })
  const body = await response.text()
  const after = [
    await economy.chain.usdcBalanceOf(bot(index).address),
    await economy.chain.usdcBalanceOf(receiver),
  ]
  return {
    response,
    body,
    spent: (before[0] ?? 0n) - (after[0] ?? 0n),
    received: (after[1] ?? 0n) - (before[1] ?? 0n),
    paid: seller(id).paid - paidBefore,
  }
}

describe('stock clients buy', () => {
  test.each([
    ['honest-v2', 10_000n],
    ['honest-both', 10_000n],
    ['post-only', 20_000n],
    ['honest-weather', 8_000n],
    ['honest-translate', 10_000n],
  ])('default: @x402/fetch buys from %s for exactly %i', async (id, price) => {
    const { response, body, spent, received, paid } = await buy(id, payV2())
    expect(response.status).toBe(200)
    expect(JSON.parse(body)).toEqual({ title: seller(id).spec.title, answer: 'forty-two' })
    expect({ spent, received, paid }).toEqual({ spent: price, received: price, paid: 1 })
    const settled: { success: boolean; transaction: `0x${string}` } = JSON.parse(
      atob(response.headers.get('payment-response') ?? ''),
    )
    const receipt = await economy.chain.publicClient.getTransactionReceipt({ hash: settled.transaction })
    expect(receipt.status).toBe('success')
  })

  test.each([
    ['honest-v1', 10_000n],
    ['honest-both', 10_000n],
    ['honest-search', 12_000n],
  ])('default: x402-fetch buys from %s for exactly %i', async (id, price) => {
    const { response, body, spent, received, paid } = await buy(id, payV1())
    expect(response.status).toBe(200)
    expect(JSON.parse(body)).toMatchObject({ answer: 'forty-two' })
    expect({ spent, received, paid }).toEqual({ spent: price, received: price, paid: 1 })
    const settled = decodeXPaymentResponse(response.headers.get('x-payment-response') ?? '')
    expect(settled).toMatchObject({ success: true, payer: bot(0).address })
  })
})

describe('the facilitator', () => {
  test('default: supports v1 and v2 on Base', async () => {
    const supported = await (await fetch(`${economy.facilitator.url}/supported`)).json()
    expect(supported.kinds).toEqual([
      { x402Version: 2, scheme: 'exact', network: 'eip155:8453' },
      { x402Version: 1, scheme: 'exact', network: 'base' },
    ])
  })

  test('behavior: settles fifty concurrent payments, each in its own transaction', async () => {
    const { url, receiver } = seller('honest-weather')
    const before = await economy.chain.usdcBalanceOf(receiver)
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => payV2(index % 5)(url)))
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
    const transactions = answers.map(
      ({ headers }) => JSON.parse(atob(headers.get('payment-response') ?? '')).transaction,
    )
    expect(new Set(transactions).size).toBe(50)
    expect(await economy.chain.usdcBalanceOf(receiver)).toBe(before + 50n * 8_000n)
  })

  test('behavior: refuses a replayed payment and moves nothing', async () => {
    const { url, receiver } = seller('honest-both')
    let header = ''
    const spy: typeof fetch = (input, init) => {
      const request = new Request(input, init)
      header = request.headers.get('payment-signature') ?? header
      return economy.fetch(request)
    }
    await wrapV2(spy, new x402Client().register('eip155:8453', new ExactEvmScheme(bot(1))))(url)
    const before = await economy.chain.usdcBalanceOf(receiver)
    const again = await economy.fetch(url, { headers: { 'payment-signature': header } })
    expect(again.status).toBe(402)
    expect(again.headers.has('payment-response')).toBe(false)
    expect(await economy.chain.usdcBalanceOf(receiver)).toBe(before)
  })

  test.each([
    ['before', 0n],
    ['after', 10_000n],
  ] as const)('behavior: injects a settlement that fails %s the transfer', async (when, moved) => {
    economy.facilitator.faults.settle = { when, kind: '500' }
    const { response, spent, paid } = await buy('honest-both', payV2(2), 2)
    expect(response.status).toBe(502)
    expect({ spent, paid }).toEqual({ spent: moved, paid: 0 })
    economy.facilitator.faults.settle = { when, kind: 'reset' }
    const reset = await buy('honest-both', payV2(2), 2)
    expect(reset.response.status).toBe(502)
    expect(reset.spent).toBe(moved)
  })

  test('behavior: injects a settlement without a response', async () => {
    economy.facilitator.faults.settle = { when: 'before', kind: 'timeout' }
    const settling = fetch(`${economy.facilitator.url}/settle`, {
      method: 'POST',
      body: '{"paymentPayload":{},"paymentRequirements":{}}',
      signal: AbortSignal.timeout(200),
    })
    await expect(settling).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('error: refuses invalid JSON, invalid payments and unknown paths', async () => {
    const post = (path: string, body: string) =>
      fetch(`${economy.facilitator.url}${path}`, { method: 'POST', body }).then(({ status }) => status)
    expect(await post('/verify', 'nonsense')).toBe(400)
    expect(await post('/settle', '{}')).toBe(400)
    expect(await post('/verify', '{"paymentPayload":{"x402Version":9},"paymentRequirements":{}}')).toBe(400)
    expect(await post('/verify', 'x'.repeat(300_000))).toBe(400)
    expect(await post('/elsewhere', '{}')).toBe(404)
  })
})
