import { FLAGS, OPERATIONS } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { CONTRACT_PRICES } from '../config/priceSettings.ts'
import { DAY } from '../facts/times.ts'
import { FORMS } from '../http/paths.ts'
import { systemClock } from '../lib/clock.ts'
import { HTML, openPages, samplesOf } from './testing/openPages.ts'
import { SAMPLE_NOW } from './testing/sampleServices.ts'

test('default', async () => {
  const origin = await openPages(samplesOf('api.skycast.dev'))
  const badge = await fetch(`${origin}/badge/api.skycast.dev.svg`)
  expect(badge.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
  expect(await badge.text()).toContain('<title>x402 trust: safe to pay 95 · 2026-11-21</title>')
  const shields = await fetch(`${origin}/badge/api.skycast.dev.json`)
  expect(await shields.json()).toEqual({
    schemaVersion: 1,
    label: 'x402 trust',
    message: 'safe to pay 95 · 2026-11-21',
    color: '#0a6b42',
  })
})

test('behavior: a badge with an expired verdict is grey and shows its date', async () => {
  const clock = { ...systemClock, now: () => SAMPLE_NOW + 3 * DAY }
  const origin = await openPages(samplesOf('api.skycast.dev'), { clock })
  const shields = await fetch(`${origin}/badge/api.skycast.dev.json`)
  expect(await shields.json()).toMatchObject({ message: 'stale, 2026-11-21', color: '#5f6775' })
})

test('behavior: llms.txt, the index, the docs and the x402 resources list every operation', async () => {
  const origin = await openPages([])
  const llms = await (await fetch(`${origin}/llms.txt`)).text()
  const index: unknown = await (await fetch(`${origin}/index.json`)).json()
  const docs = await (await fetch(`${origin}/docs`, HTML)).text()
  const { resources } = await (await fetch(`${origin}/.well-known/x402`)).json()
  for (const { path, priceUsd } of Object.values(OPERATIONS)) {
    expect(llms).toContain(`](https://touchstone.example${path})`)
    expect(docs).toContain(`<code>${path}</code>`)
    expect(JSON.stringify(index)).toContain(`"https://touchstone.example${path}"`)
    expect(resources.includes(`https://touchstone.example${path}`)).toBe(priceUsd !== null)
  }
})

test('behavior: llms.txt shows an answer of each token operation, in the shape of its schema', async () => {
  const origin = await openPages([])
  const llms = await (await fetch(`${origin}/llms.txt`)).text()
  for (const id of ['pulse', 'whales', 'flow', 'momentum'] as const) {
    const [, json = ''] = new RegExp(`^- /${id}: \`(\\{.*\\})\`$`, 'm').exec(llms) ?? []
    const [schema] = OPERATIONS[id].response
    expect(schema.safeParse(JSON.parse(json)).success, id).toBe(true)
    expect(json.length, id).toBeLessThan(4000)
  }
})

test('behavior: llms.txt, the index and OpenAPI name both halves of the service', async () => {
  const origin = await openPages([])
  const { description } = await (await fetch(`${origin}/index.json`)).json()
  const { info } = await (await fetch(`${origin}/openapi.json`)).json()
  const llms = await (await fetch(`${origin}/llms.txt`)).text()
  for (const text of [description, info.description, llms])
    expect(text).toMatch(/audit of x402 endpoints.*ERC-20 tokens on Base/)
})

test('behavior: llms.txt names every form', async () => {
  const origin = await openPages([])
  const llms = await (await fetch(`${origin}/llms.txt`)).text()
  for (const path of Object.keys(FORMS)) expect(llms).toContain(`- [POST ${path}](`)
})

test('behavior: shows running prices instead of contract prices', async () => {
  const origin = await openPages([], { config: { prices: { ...CONTRACT_PRICES, trust: '0.0123' } } })
  for (const path of ['/llms.txt', '/docs']) {
    expect(await (await fetch(origin + path, HTML)).text()).toContain('$0.0123')
  }
})

test('behavior: the methodology explains every flag', async () => {
  const origin = await openPages([])
  const html = await (await fetch(`${origin}/methodology`, HTML)).text()
  for (const flag of FLAGS) expect(html).toContain(`id="flag-${flag}"`)
})

test('behavior: security.txt names the contact of the operator', async () => {
  const origin = await openPages([])
  const text = await (await fetch(`${origin}/.well-known/security.txt`)).text()
  expect(text).toMatch(/^Contact: mailto:trust@touchstone\.example\nExpires: 2027-05-20T00:00:00\.000Z\n/)
})

test('behavior: robots.txt names the sitemap, which lists the pages and every host', async () => {
  const origin = await openPages(samplesOf('rtl.hostile.example'))
  const robots = await (await fetch(`${origin}/robots.txt`)).text()
  expect(robots).toMatch(/^User-agent: \*\nDisallow: \/trust\n/)
  expect(robots).toContain('\nSitemap: https://touchstone.example/sitemap.xml\n')
  const answer = await fetch(`${origin}/sitemap.xml`)
  expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8')
  const paths = [...(await answer.text()).matchAll(/<loc>https:\/\/touchstone\.example(\/[^<]*)<\/loc>/g)]
  expect(paths.length).toBe(8 + 1 + 1)
  for (const [, path = ''] of paths) expect((await fetch(origin + path, HTML)).status, path).toBe(200)
  for (const icon of ['/favicon.ico', '/favicon.svg'])
    expect((await fetch(origin + icon)).headers.get('content-type')).toBe('image/svg+xml')
})

test('error: answers 404 for unknown badges, schemas and feeds', async () => {
  const origin = await openPages([])
  for (const path of ['/badge/a.png', '/badge/%20.svg', '/services/nobody.example/feed.rss']) {
    expect((await fetch(origin + path)).status, path).toBe(404)
  }
})
