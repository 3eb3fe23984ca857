import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  allSellers,
  type Economy,
  type SellerHandle,
  start,
  USDC,
  USDC_BASE_SEPOLIA,
  walletAt,
} from '../index.ts'
import { FAKE_USDC } from './bad/fake-asset.ts'

const HOUR_MS = 3_600_000
let economy: Economy
beforeAll(async () => {
  economy = await start({ historyBlocks: 90 })
})
afterAll(() => economy.stop())

const seller = (id: string): SellerHandle => {
  const handle = economy.sellers[id]
  if (!handle) throw new Error(`no seller ${id}`)
  return handle
}
type Entry = Record<string, unknown>
type Look = {
  status: number
  header: string | null
  v1: Entry | undefined
  v2: Entry | undefined
  text: string
}

/** Asks without paying, and reads both forms of the challenge. */
async function look(id: string, init: RequestInit = {}): Promise<Look> {
  const { url, method } = seller(id)
  const response = await economy.fetch(url, { method, ...init })
  const text = await response.text()
  const header = response.headers.get('payment-required')
  const parse = (json: string) => (JSON.parse(json) as { accepts?: Entry[] }).accepts?.[0]
  return {
    status: response.status,
    header,
    v2: header ? parse(atob(header)) : undefined,
    v1: text && response.headers.get('content-type')?.includes('json') ? parse(text) : undefined,
    text,
  }
}

describe('honest sellers', () => {
  test.each(['honest-v2', 'post-only', 'honest-weather'])(
    'default: %s sends its terms in the v2 header',
    async (id) => {
      const { status, v2, v1 } = await look(id)
      const { spec, receiver } = seller(id)
      expect(status).toBe(402)
      expect(v2).toMatchObject({ network: 'eip155:8453', asset: USDC, payTo: receiver, scheme: 'exact' })
      expect(v2?.amount).toBe(String(Number(spec.priceUsd) * 1e6))
      expect(v1).toBeUndefined()
    },
  )

  test.each(['honest-v1', 'honest-search'])('default: %s sends its terms in the v1 body', async (id) => {
    const { status, header, v1 } = await look(id)
    const { spec, receiver, url } = seller(id)
    expect(status).toBe(402)
    expect(header).toBeNull()
    expect(v1).toMatchObject({ network: 'base', asset: USDC, payTo: receiver, resource: url })
    expect(v1?.maxAmountRequired).toBe(String(Number(spec.priceUsd) * 1e6))
  })

  test('behavior: honest-both sends the same terms in both versions', async () => {
    const { v1, v2 } = await look('honest-both')
    expect(v1?.payTo).toBe(seller('honest-both').receiver)
    expect([v2?.payTo, v2?.amount, v2?.asset]).toEqual([v1?.payTo, v1?.maxAmountRequired, v1?.asset])
  })

  test('behavior: post-only refuses GET', async () => {
    const { status, header } = await look('post-only', { method: 'GET' })
    expect([status, header]).toEqual([405, null])
  })

  test('behavior: honest-translate redirects within its origin', async () => {
    const { url, host } = seller('honest-translate')
    const moved = await economy.fetch(`${url}?q=x`, { redirect: 'manual' })
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/v2/translate?q=x'])
    const followed = await economy.fetch(url)
    expect([followed.status, followed.url]).toEqual([402, `http://${host}/v2/translate`])
  })

  test('behavior: HEAD is not served without payment', async () => {
    for (const id of ['honest-v1', 'honest-v2', 'honest-both', 'post-only']) {
      expect((await look(id, { method: 'HEAD' })).status).toBe(405)
    }
  })
})

describe('sellers one should not pay', () => {
  test('default: overpriced charges $2.50', async () => {
    expect((await look('overpriced')).v2).toMatchObject({
      amount: '2500000',
      network: 'eip155:8453',
      asset: USDC,
    })
  })

  test('default: testnet asks for USDC of Base Sepolia', async () => {
    const { v1, v2 } = await look('testnet')
    expect(v2).toMatchObject({ network: 'eip155:84532', asset: USDC_BASE_SEPOLIA })
    expect(v1).toMatchObject({ network: 'base-sepolia', asset: USDC_BASE_SEPOLIA })
  })

  test('default: no-terms responds 402 without terms', async () => {
    const { status, header, v1, text } = await look('no-terms')
    expect([status, header, v1]).toEqual([402, null, undefined])
    expect(text).toContain('<h1>')
  })

  test('default: fake-asset asks for a token of 18 decimals that is not USDC', async () => {
    const { v2 } = await look('fake-asset')
    expect(v2?.amount).toBe('10000000000000000')
    expect(v2?.asset).toBe(FAKE_USDC)
    expect(FAKE_USDC).not.toBe(USDC)
  })

  test('default: per-request shows a new receiver each time and accepts payments to it', async () => {
    const named = [await look('per-request'), await look('per-request'), await look('per-request')]
    expect(new Set(named.map(({ v2 }) => v2?.payTo)).size).toBe(3)
    const bot = economy.wallets.bots[0]
    if (!bot) throw new Error('no bot')
    const pay = wrapFetchWithPayment(
      economy.fetch,
      new x402Client().register('eip155:8453', new ExactEvmScheme(bot)),
    )
    expect((await pay(seller('per-request').url)).status).toBe(200)
    expect(await economy.chain.usdcBalanceOf(seller('per-request').receiver)).toBe(10_000n)
  })

  test('default: cloaker shows different receivers to checkers and customers', async () => {
    const { spec, receiver } = seller('cloaker')
    const as = async (agent: string) =>
      (await look('cloaker', { headers: { 'user-agent': agent } })).v2?.payTo
    const good = walletAt(spec.receiver.index).address
    expect(await as('Touchstone/1.0 (+https://example.test)')).toBe(good)
    expect(await as('Googlebot/2.1')).toBe(good)
    expect(await as('node')).toBe(receiver)
    expect(await as('Mozilla/5.0 (X11; Linux x86_64)')).toBe(receiver)
    expect(receiver).not.toBe(good)
  })

  test('default: no-delivery settles, then responds 502', async () => {
    const { url, receiver } = seller('no-delivery')
    const bot = economy.wallets.bots[1]
    if (!bot) throw new Error('no bot')
    const pay = wrapFetchWithPayment(
      economy.fetch,
      new x402Client().register('eip155:8453', new ExactEvmScheme(bot)),
    )
    const before = await economy.chain.usdcBalanceOf(receiver)
    const response = await pay(url)
    expect(response.status).toBe(502)
    expect(JSON.parse(atob(response.headers.get('payment-response') ?? ''))).toMatchObject({ success: true })
    expect(await economy.chain.usdcBalanceOf(receiver)).toBe(before + 10_000n)
    expect(seller('no-delivery').paid).toBe(1)
  })

  test('default: price-bait charges more than it claims', async () => {
    expect((await look('price-bait')).v2?.amount).toBe('50000')
    expect(seller('price-bait').spec.listing.bazaar?.priceUsd).toBe('0.01')
  })

  test('default: the receiver of never-paid has no payments on chain', async () => {
    expect((await look('never-paid')).status).toBe(402)
    expect(await economy.chain.usdcBalanceOf(seller('never-paid').receiver)).toBe(0n)
  })

  test('default: swap-now changes its receiver between two requests', async () => {
    const handle = seller('swap-now')
    const before = (await look('swap-now')).v2?.payTo
    expect(before).toBe(handle.receiver)
    const fresh = handle.swap?.()
    expect(fresh).not.toBe(before)
    expect((await look('swap-now')).v2?.payTo).toBe(fresh)
    expect(handle.receiver).toBe(fresh)
    expect(await economy.chain.usdcBalanceOf(handle.receiver)).toBe(0n)
  })

  // Last, because these two move the clock.
  test('default: swapped and dead change as the clock advances', async () => {
    const old = walletAt(seller('swapped').spec.receiver.index).address
    const seen = async () => ({
      dead: (await look('dead')).status,
      swapped: (await look('swapped')).v2?.payTo === old,
    })
    expect(await seen()).toEqual({ dead: 402, swapped: true })
    await economy.clock.sleep(25 * HOUR_MS)
    expect(await seen()).toEqual({ dead: 500, swapped: true })
    await economy.clock.sleep(24 * HOUR_MS)
    expect(await seen()).toEqual({ dead: 500, swapped: false })
    expect(await economy.chain.usdcBalanceOf(seller('swapped').receiver)).toBe(0n)
  })
})

describe('the sellers as data', () => {
  test('default: each seller has its own id and wallets', () => {
    const indexes = allSellers.flatMap(({ receiver, otherReceiver }) => [
      receiver.index,
      ...(otherReceiver === undefined ? [] : [otherReceiver]),
    ])
    expect(new Set(indexes).size).toBe(indexes.length)
    expect(Math.min(...indexes)).toBeGreaterThanOrEqual(100)
    expect(new Set(allSellers.map(({ id }) => id)).size).toBe(allSellers.length)
  })

  test('behavior: the median price in the category of overpriced is about a cent', () => {
    const prices = allSellers
      .filter(({ category, character }) => category === 'data' && character !== 'overpriced')
      .map(({ priceUsd }) => Number(priceUsd))
      .sort((a, b) => a - b)
    expect(prices.length).toBeGreaterThanOrEqual(5)
    expect(prices[Math.floor(prices.length / 2)]).toBe(0.01)
  })
})
