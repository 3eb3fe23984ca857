import { expect, test } from 'vitest'
import { createIndex402Directory } from './createIndex402Directory.ts'
import { cleanUpAfterEach, pageOf, readAll, serve } from './testing/harness.ts'
import { NO_PAUSES } from './testing/pace.ts'

cleanUpAfterEach()

const service = {
  id: 'ee14cbd5-19c4-4408-84aa-e465323699b1',
  name: 'Signal',
  url: 'https://signal.example/route',
  protocol: 'x402',
  price_usd: 0.01,
  payment_asset: 'USDC',
  payment_network: 'Base',
  category: 'data',
  health_status: 'healthy',
  reliability_score: 95,
  last_checked: '2026-04-26 18:13:16',
  registered_at: '2026-04-01 00:00:00',
  http_method: 'post',
}

async function readServices(...services: unknown[]) {
  const url = await serve((_request, asked) => {
    if (asked.pathname !== '/api/v1/services' || asked.searchParams.get('protocol') !== 'x402') return {}
    return { services: pageOf(services, asked, 3), total: services.length }
  })
  return readAll(createIndex402Directory({ name: '402index', url, contact: 'x', pace: NO_PAUSES }))
}

test('default', async () => {
  const { rows } = await readServices(service)
  expect(rows).toEqual([
    {
      directory: '402index',
      endpoint: 'https://signal.example/route',
      host: 'signal.example',
      url: 'https://signal.example/route',
      method: 'POST',
      body: null,
      declaresInput: false,
      declaresOutput: false,
      title: 'Signal',
      category: 'data',
      claims: {
        network: 'eip155:8453',
        asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        payTo: null,
        amountAtomic: null,
        priceUsd: 0.01,
        healthy: true,
        calls: null,
      },
      claimedAt: Date.UTC(2026, 3, 1),
      ownClaim: false,
    },
  ])
})

test('behavior: reads health, networks and methods in the notation of the index', async () => {
  const states = ['healthy', 'degraded', 'down', 'unknown', undefined]
  const { rows } = await readServices(...states.map((health_status) => ({ ...service, health_status })))
  expect(rows.map(({ claims }) => claims.healthy)).toEqual([true, false, false, null, null])
  const networks = ['base', 'Base Sepolia', 'eip155:137', 'Lightning', null]
  const { rows: others } = await readServices(
    ...networks.map((payment_network) => ({ ...service, payment_network, http_method: undefined })),
  )
  expect(others.map(({ claims }) => claims.network)).toEqual([
    'eip155:8453',
    'eip155:84532',
    'eip155:137',
    null,
    null,
  ])
  expect(others.every(({ method }) => method === null)).toBe(true)
})

test('behavior: USD Coin is USDC', async () => {
  const names = ['usdc', 'USD Coin', 'USD-Coin', 'USDT', 'USD Coins', null]
  const { rows } = await readServices(...names.map((payment_asset) => ({ ...service, payment_asset })))
  expect(rows.map(({ claims }) => claims.asset !== null)).toEqual([true, true, true, false, false, false])
})

test('behavior: finds USDC on every network that has one, by id, v1 name or display name', async () => {
  const networks = ['eip155:10', 'optimism', 'Stellar', 'stellar:pubnet', 'abstract', 'Lightning']
  const { rows } = await readServices(
    ...networks.map((payment_network) => ({ ...service, payment_network, payment_asset: 'USD Coin' })),
  )
  const OPTIMISM = ['eip155:10', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85']
  const STELLAR = ['stellar:pubnet', 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75']
  expect(rows.map(({ claims: { network, asset } }) => [network, asset])).toEqual([
    OPTIMISM,
    OPTIMISM,
    STELLAR,
    STELLAR,
    // Its only dollar is a bridged one.
    ['eip155:2741', null],
    [null, null],
  ])
})

test('behavior: skips other protocols and counts invalid rows', async () => {
  const { rows, skipped, pages } = await readServices(
    { ...service, protocol: 'L402' },
    { ...service, url: 'lightning:x' },
    'row',
    { ...service, url: 'https://b.example/' },
  )
  expect([rows.map(({ host }) => host), pages]).toEqual([['b.example'], 2])
  expect(skipped).toEqual({ other_protocol: 1, not_http: 1, malformed: 1 })
})
