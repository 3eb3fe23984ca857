import type { Problem, TrustCatalog, TrustHistory, TrustLive, Verdict } from '@touchstone402/shared'
import { beforeEach, describe, expect, it } from 'vitest'
import { UNRESOLVABLE, useService } from '../support/economy.ts'
import { createStockBuyer } from '../support/stockBuyer.ts'

const { economy, service } = await useService()

let before = 0n

const pay = createStockBuyer(economy)
const buy = (path: string) => pay(service.url + path)

async function buyJson<T>(path: string): Promise<T> {
  const response = await buy(path)
  expect(response.status).toBe(200)
  return (await response.json()) as T
}

const trust = (url: string) => `/trust?endpoint=${encodeURIComponent(url)}`
const history = (url: string) => `/trust/history?endpoint=${encodeURIComponent(url)}`
const urlOf = (id: string) => economy.sellers[id]?.url ?? ''
const balance = () => economy.chain.usdcBalanceOf(economy.wallets.service.address)

beforeEach(async () => {
  before = await balance()
})

describe('/trust', () => {
  it('default: probes an endpoint with every client identity and a control request', async () => {
    const live = await buyJson<TrustLive>(trust(urlOf('honest-v2')))
    expect(live).toMatchObject({ verdict: 'safe', live: { alive: true }, drift: [] })
    expect(new Set(live.live.probes.map(({ client }) => client)).size).toBeGreaterThanOrEqual(2)
    expect(live.live.probes.filter(({ purpose }) => purpose === 'control')).toHaveLength(1)
    expect(live.scan.checks.every(({ outcome }) => outcome === 'pass')).toBe(true)
    expect(live.receiver).toMatchObject({
      category: 'established',
      isContract: false,
      lastOutflowAt: null,
      sharedByHosts: 1,
    })
    expect((await balance()) - before).toBe(5000n)
  })

  it('behavior: a receiver changed since the crawl is shown as drift, and the verdict is avoid', async () => {
    const receiver = economy.sellers['swap-live']?.swap?.()
    const live = await buyJson<TrustLive>(trust(urlOf('swap-live')))
    expect(live).toMatchObject({ verdict: 'avoid', flags: ['payto_changed'] })
    expect(live.drift).toContainEqual(expect.objectContaining({ field: 'payTo', live: receiver }))
    const answer = await fetch(`${service.url}/verify?endpoint=${encodeURIComponent(urlOf('swap-live'))}`)
    expect((await answer.json()) as Verdict).toMatchObject({ verdict: 'avoid' })
  })

  it('error: refuses a host that declines probes with 404 and without a charge', async () => {
    const response = await buy(trust(urlOf('opted-out')))
    expect(response.status).toBe(404)
    expect((await response.json()) as Problem).toMatchObject({ code: 'probes_declined' })
    expect(await balance()).toBe(before)
  })

  it('error: responds 503 without a charge if a fault on our side prevents the measurement', async () => {
    const response = await buy(trust(`http://${UNRESOLVABLE}/answers`))
    expect(response.status).toBe(503)
    expect((await response.json()) as Problem).toMatchObject({ code: 'not_measured' })
    expect(await balance()).toBe(before)
  })

  it('error: refuses a private address without a charge', async () => {
    const response = await buy(trust('http://10.0.0.1/admin'))
    expect(response.status).toBe(400)
    expect((await response.json()) as Problem).toMatchObject({ code: 'not_public' })
    expect(await balance()).toBe(before)
    const answer = await fetch(`${service.url}/verify?endpoint=http://10.0.0.1/admin`)
    expect((await answer.json()) as Verdict).toMatchObject({ known: false })
  })

  it('default: without an endpoint returns the catalog of live services, best first', async () => {
    const { services, riskMap } = await buyJson<TrustCatalog>('/trust')
    const ranks = services.map(
      ({ verdict, trustScore }) => (verdict === 'safe' ? 200 : 100) + (trustScore ?? 0),
    )
    expect(ranks).toEqual([...ranks].sort((a, b) => b - a))
    expect(services.some(({ host }) => host.startsWith('honest-v1'))).toBe(true)
    expect(services.some(({ verdict }) => verdict === 'avoid')).toBe(false)
    expect(riskMap.byVerdict.avoid).toBeGreaterThanOrEqual(6)
  })
})

describe('/trust/history', () => {
  it('default: returns the receivers, prices, days and incidents of an endpoint', async () => {
    const record = await buyJson<TrustHistory>(history(urlOf('swapped')))
    expect(record.payToHistory).toHaveLength(2)
    expect(record.payToHistory[0]?.to).toBe(record.payToHistory[1]?.from)
    expect(record.priceHistory).toHaveLength(1)
    expect(record.daily.length).toBeGreaterThanOrEqual(3)
    expect(record.incidents.map(({ kind }) => kind)).toContain('receiver_hijack')
    expect(record.uptime).toMatchObject({ pct: 100, windowDays: 30 })
  })

  it('error: responds 404 without a charge for an endpoint that was never seen', async () => {
    const response = await buy(history('https://nobody.example/api'))
    expect(response.status).toBe(404)
    expect((await response.json()) as Problem).toMatchObject({ code: 'never_seen' })
    expect(await balance()).toBe(before)
  })
})
