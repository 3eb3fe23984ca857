import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allSellers, type Economy, start } from '../index.ts'

let economy: Economy
beforeAll(async () => {
  economy = await start({ historyBlocks: 90 })
})
afterAll(() => economy.stop())

type Row = Record<string, unknown>
const getJson = async (url: string): Promise<Row> => (await fetch(url)).json()
const rowsOf = (value: unknown): Row[] => {
  expect(Array.isArray(value)).toBe(true)
  return value as Row[]
}
const ids = (key: 'bazaar' | 'index402') =>
  allSellers.filter(({ listing }) => listing[key]).map(({ id }) => id)
const idOf = (url: unknown) => new URL(String(url)).hostname.replace('.localhost', '')

describe('bazaar', () => {
  const page = async (query: string) =>
    getJson(`${economy.directories.bazaarUrl}/discovery/resources?${query}`)
  const all = async () => rowsOf((await pageAll()).items)
  const pageAll = async () => {
    const items: Row[] = []
    for (let pages = 1; ; pages++) {
      const answer = await page(`type=http&offset=${items.length}`)
      const pagination = answer.pagination as { limit: number; offset: number; total: number }
      expect(pagination.offset).toBe(items.length)
      items.push(...rowsOf(answer.items))
      if (items.length >= pagination.total) return { items, pages }
    }
  }

  test('default: lists each seller once over all pages', async () => {
    const { items, pages } = await pageAll()
    expect(pages).toBeGreaterThanOrEqual(3)
    expect(items.map(({ resource }) => idOf(resource))).toEqual(ids('bazaar'))
  })

  test('behavior: v2 items carry CAIP-2 networks, amount and the call; v1 items slugs, maxAmountRequired and unix time', async () => {
    const items = await all()
    const v2 = items.find(({ resource }) => idOf(resource) === 'post-only')
    expect(v2).toMatchObject({
      type: 'http',
      x402Version: 2,
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:8453',
          amount: '20000',
          payTo: economy.sellers['post-only']?.receiver,
        },
      ],
      tags: ['ai'],
      extensions: { bazaar: { info: { input: { type: 'http', method: 'POST', bodyType: 'json' } } } },
      quality: { l30DaysTotalCalls: 84 },
    })
    expect(new Date(String(v2?.lastUpdated)).toISOString()).toBe(v2?.lastUpdated)
    const v1 = items.find(({ resource }) => idOf(resource) === 'honest-v1')
    expect(v1).toMatchObject({
      x402Version: 1,
      accepts: [
        {
          scheme: 'exact',
          network: 'base',
          maxAmountRequired: '10000',
          outputSchema: { input: { method: 'GET' } },
        },
      ],
      metadata: {},
    })
    expect(Number.isInteger(v1?.lastUpdated)).toBe(true)
    expect(Math.abs(Number(v1?.lastUpdated) - economy.clock.now() / 1000)).toBeLessThan(3_600)
  })

  test.each(['honest-v2', 'honest-weather', 'post-only', 'honest-both'])(
    'behavior: the listing of %s matches its challenge',
    async (id) => {
      const item = (await all()).find(({ resource }) => idOf(resource) === id)
      const seller = economy.sellers[id]
      const response = await economy.fetch(seller?.url ?? '', { method: seller?.method ?? 'GET' })
      const challenge = JSON.parse(atob(response.headers.get('payment-required') ?? ''))
      expect(item?.accepts).toEqual(challenge.accepts)
      expect(challenge.resource.url).toBe(item?.resource)
    },
  )

  test('behavior: bounds the limit, and returns no items for other types', async () => {
    expect(rowsOf((await page('limit=500')).items)).toHaveLength(10)
    expect(rowsOf((await page('limit=-3&offset=x')).items)).toHaveLength(5)
    expect(await page('type=mcp')).toMatchObject({ items: [], pagination: { total: 0 } })
    expect(await page('offset=999')).toMatchObject({ items: [] })
  })

  test('behavior: the recent listing of price-bait claims a fifth of its price', async () => {
    const bait = (await all()).find(({ resource }) => idOf(resource) === 'price-bait')
    expect(bait).toMatchObject({ accepts: [{ amount: '10000' }] })
    expect(economy.clock.now() - Date.parse(String(bait?.lastUpdated))).toBeLessThan(3_600_000)
  })

  test('behavior: never-paid claims old calls', async () => {
    const item = (await all()).find(({ resource }) => idOf(resource) === 'never-paid')
    const quality = item?.quality as { l30DaysTotalCalls: number; lastCalledAt: string }
    expect(quality.l30DaysTotalCalls).toBeGreaterThanOrEqual(10)
    expect(economy.clock.now() - Date.parse(quality.lastCalledAt)).toBeGreaterThan(7 * 86_400_000)
  })
})

describe('402 index', () => {
  const page = async (query: string) => getJson(`${economy.directories.index402Url}/api/v1/services?${query}`)

  test('default: lists each seller once over all pages, without a receiver', async () => {
    const rows: Row[] = []
    let pages = 0
    for (; ; pages++) {
      const answer = await page(`protocol=x402&offset=${rows.length}`)
      rows.push(...rowsOf(answer.services))
      if (rows.length >= Number(answer.total)) break
    }
    expect(pages).toBeGreaterThanOrEqual(2)
    expect(rows.map(({ url }) => idOf(url))).toEqual(ids('index402'))
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    expect(rows[0]).toMatchObject({
      protocol: 'x402',
      price_usd: 0.01,
      category: 'data',
      health_status: 'healthy',
      http_method: 'GET',
    })
    const receivers = Object.values(economy.sellers).map(({ receiver }) => receiver.toLowerCase())
    const text = JSON.stringify(rows).toLowerCase()
    expect(receivers.filter((receiver) => text.includes(receiver))).toEqual([])
  })

  test('behavior: a row may omit the method', async () => {
    const rows = rowsOf((await page('limit=8')).services)
    const row = rows.find(({ url }) => idOf(url) === 'honest-v1')
    expect(row).toBeDefined()
    expect(row).not.toHaveProperty('http_method')
  })

  test('behavior: returns no rows for other protocols', async () => {
    expect(await page('protocol=L402')).toMatchObject({ services: [], total: 0 })
  })
})

test('behavior: every seller is listed, and each directory lists sellers that the other does not', () => {
  const bazaar = new Set(ids('bazaar'))
  const index = new Set(ids('index402'))
  expect(allSellers.filter(({ id }) => !bazaar.has(id) && !index.has(id))).toEqual([])
  expect([...bazaar].some((id) => !index.has(id))).toBe(true)
  expect([...index].some((id) => !bazaar.has(id))).toBe(true)
})
