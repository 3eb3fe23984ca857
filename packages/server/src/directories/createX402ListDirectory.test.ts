import { expect, test } from 'vitest'
import { createX402ListDirectory } from './createX402ListDirectory.ts'
import { cleanUpAfterEach, readAll, serve } from './testing/harness.ts'
import { NO_PAUSES } from './testing/pace.ts'

cleanUpAfterEach()

const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

type Service = { slug: string; status: string; min_price_usd: number; endpoint_count: number }
const service = (slug: string): Service => ({
  slug,
  status: 'online',
  min_price_usd: 0.01,
  endpoint_count: 1,
})
const endpoint = (path: string) => ({
  method: 'POST',
  path,
  description: 'Search',
  is_active: true,
  min_price_usd: 0.01,
  pricing: [
    {
      scheme: 'exact',
      network: 'base',
      network_caip2: 'eip155:8453',
      asset: USDC.toLowerCase(),
      price: '10000',
      price_usd: '0.0100000000',
      pay_to: PAY_TO.toLowerCase(),
    },
  ],
})

/** Serves the services, and records the requests for endpoints. */
async function start(services: Service[], endpoints: unknown[] = [endpoint('/v1/search')], pageSize = 2) {
  const details: string[] = []
  const url = await serve((_request, asked, response) => {
    const slug = asked.pathname.split('/')[4]
    if (slug !== undefined) {
      details.push(slug)
      if (slug.startsWith('gone')) {
        response.writeHead(404).end()
        return undefined
      }
      return {
        data: { slug, name: 'Shop', base_url: `https://${slug}.example`, category: 'Data', endpoints },
      }
    }
    const page = Number(asked.searchParams.get('page'))
    return {
      data: services.slice((page - 1) * pageSize, page * pageSize),
      meta: { total_pages: Math.ceil(services.length / pageSize) },
    }
  })
  const directory = createX402ListDirectory({
    name: 'x402-list',
    url,
    contact: 'x',
    pace: NO_PAUSES,
  })
  return { details, directory }
}

test('default', async () => {
  const { directory } = await start([service('a')])
  const { rows } = await readAll(directory)
  expect(rows).toEqual([
    {
      directory: 'x402-list',
      endpoint: 'https://a.example/v1/search',
      host: 'a.example',
      url: 'https://a.example/v1/search',
      method: 'POST',
      body: null,
      declaresInput: false,
      declaresOutput: false,
      title: 'Search',
      category: 'Data',
      claims: {
        network: 'eip155:8453',
        asset: USDC,
        payTo: PAY_TO,
        amountAtomic: '10000',
        priceUsd: 0.01,
        healthy: true,
        calls: null,
      },
      claimedAt: null,
      ownClaim: false,
    },
  ])
})

test('behavior: a second walk reads only changed services, and takes health from the list', async () => {
  const services = ['a', 'b', 'c'].map(service)
  const { directory, details } = await start(services)
  expect((await readAll(directory)).rows).toHaveLength(3)
  expect(details).toEqual(['a', 'b', 'c'])
  services[0] = { ...service('a'), status: 'offline' }
  services[1] = { ...service('b'), min_price_usd: 0.02 }
  const { rows } = await readAll(directory)
  expect(details).toEqual(['a', 'b', 'c', 'b'])
  expect(rows.map(({ claims }) => claims.healthy)).toEqual([false, true, true])
})

test('behavior: services beyond the quota of one walk are read in the next', async () => {
  const names = Array.from({ length: 301 }, (_, index) => `shop${index}`)
  const { directory, details } = await start(names.map(service), undefined, 100)
  expect((await readAll(directory)).rows).toHaveLength(300)
  expect((await readAll(directory)).rows).toHaveLength(301)
  expect(details).toEqual(names)
})

test('behavior: skips inactive endpoints and counts invalid ones', async () => {
  const endpoints = [{ ...endpoint('/old'), is_active: false }, { path: 7 }, null, endpoint('/new')]
  const { directory } = await start([service('a')], endpoints)
  const { rows, skipped } = await readAll(directory)
  expect(rows.map(({ url }) => url)).toEqual(['https://a.example/new'])
  expect(skipped).toEqual({ inactive: 1, malformed: 2 })
})

test('behavior: one failed service does not affect others, and three failures in a row end the reading of endpoints', async () => {
  const one = await start(['gone1', 'a'].map(service))
  expect(await readAll(one.directory)).toMatchObject({
    rows: [{ host: 'a.example' }],
    skipped: { unread: 1 },
  })
  const many = await start(['gone1', 'gone2', 'gone3', 'a'].map(service))
  expect(await readAll(many.directory)).toMatchObject({ rows: [], skipped: { unread: 4 } })
  expect(many.details).toHaveLength(3)
})

test('error: fails without a list of services', async () => {
  const url = await serve(() => ({ services: [] }))
  const directory = createX402ListDirectory({ name: 'l', url, contact: 'x', pace: NO_PAUSES })
  await expect(readAll(directory)).rejects.toThrow('holds no list of services')
})
