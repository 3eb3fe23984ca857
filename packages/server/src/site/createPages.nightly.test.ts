import { createHash } from 'node:crypto'
import { ProfileSchema } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { HTML, openPages, samplesOf } from './testing/openPages.ts'

const PATHS = [
  '/',
  '/?q=https://api.skycast.dev/v9/x',
  '/?verdict=avoid&page=2',
  '/services/api.skycast.dev',
  '/services/rtl.hostile.example',
  '/services/nobody.example',
  '/feed',
  '/feed?kind=changes',
  '/reports',
  '/methodology',
  '/docs',
]

test('default', async () => {
  const origin = await openPages(samplesOf('api.skycast.dev'))
  const answer = await fetch(`${origin}/services/api.skycast.dev`, HTML)
  const html = await answer.text()
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(html).toContain('<p class="verdict">Safe to pay</p>')
  expect(html).toContain('This verdict reflects the last crawl. Use the live check /trust before paying.')
  expect(html.length).toBeLessThan(60_000)
})

test('behavior: serves the contract profile to clients that ask for JSON', async () => {
  const origin = await openPages(samplesOf('llm.quickinfer.net'))
  const answer = await fetch(`${origin}/services/llm.quickinfer.net`, {
    headers: { Accept: 'application/json' },
  })
  const profile = ProfileSchema.parse(await answer.json())
  expect(profile).toMatchObject({ host: 'llm.quickinfer.net', verdict: 'avoid', liveness: '2/2' })
})

test('behavior: pages run their one script and load nothing from other origins', async () => {
  const origin = await openPages()
  const scripts = new Map<string, string>()
  for (const path of PATHS) {
    const answer = await fetch(origin + path, HTML)
    const html = await answer.text()
    const policy = answer.headers.get('content-security-policy')
    expect(policy).toMatch(/^default-src 'none';script-src 'sha256-[^']*';style-src 'self'/)
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(policy).not.toMatch(/unsafe-|\*|https?:/)
    expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=/i)
    const [script = '', ...others] = [...html.matchAll(/<script.*?<\/script>/gs)].map(([tag]) => tag)
    const [, url = '', hash = ''] =
      /^<script src="(\/assets\/page\.js\?v=\w+)" integrity="([^"]*)" defer><\/script>$/.exec(script) ?? []
    expect([others, policy]).toEqual([[], expect.stringContaining(`script-src '${hash}';`)])
    scripts.set(url, hash)
    const loaded = [...html.matchAll(/<(?:img|link rel="(?:icon|stylesheet)")[^>]*?(?:src|href)="([^"]*)"/g)]
    expect(html.length).toBeLessThan(60_000)
    expect(loaded.length).toBeGreaterThan(1)
    for (const [, url] of loaded) expect(url).toMatch(/^\/[^/]/)
  }
  const [[url, hash] = []] = scripts
  const text = await (await fetch(origin + url)).text()
  expect([scripts.size, hash]).toEqual([1, `sha256-${createHash('sha256').update(text).digest('base64')}`])
  expect(text.length).toBeLessThan(5000)
})

test('behavior: shows the parts of a score, which add up to it', async () => {
  const origin = await openPages()
  const sums = []
  for (const host of ['api.skycast.dev', 'translate.polyglot.run', 'geo.mapmint.app']) {
    const html = await (await fetch(`${origin}/services/${host}`, HTML)).text()
    const [, score] = /<span class="score">(\d+)<\/span>/.exec(html) ?? []
    const [, parts = ''] = /<dt>Score<\/dt><dd>(.*?)<\/dd>/.exec(html) ?? []
    const points = [...parts.matchAll(/([+−])(\d+)/g)].map(([, sign, figure]) =>
      sign === '−' ? -Number(figure) : Number(figure),
    )
    expect([host, points.reduce((total, one) => total + one, 0)]).toEqual([host, Number(score)])
    sums.push(score)
  }
  expect(new Set(sums).size).toBeGreaterThan(1)
})

test('behavior: no page, list or badge shows an overruled score as a mark of quality', async () => {
  const origin = await openPages()
  const read = async (path: string) => (await fetch(origin + path, HTML)).text()
  const overruled = 'overruled: network_testnet'
  const profile = await read('/services/sandbox.chainkit.dev')
  expect(profile).toContain(`<title>sandbox.chainkit.dev: Avoid (${overruled})`)
  expect(profile).toContain(`<p class="verdict">Avoid<span class="small"> (${overruled})</span></p>`)
  expect(profile).not.toMatch(/excellent|class="score"|>90<\/span>/)
  const list = await read('/?verdict=avoid')
  expect(list).toMatch(/sandbox\.chainkit\.dev.*?<span>–<\/span>/s)
  expect(await read('/badge/sandbox.chainkit.dev.svg')).toContain('x402 trust: avoid · 2026-11-21')
  expect(await read('/badge/api.skycast.dev.svg')).toMatch(/safe to pay \d+ · 2026-11-21/)
  expect(await read('/services/api.skycast.dev')).toMatch(/<span class="score">9\d<\/span>/)
  const index = await (await fetch(origin, { headers: { Accept: 'application/json' } })).json()
  expect(index.services).toContainEqual(
    expect.objectContaining({ host: 'sandbox.chainkit.dev', overruledBy: ['network_testnet'] }),
  )
})

test('behavior: a dark service shows since when, before any percentage', async () => {
  const origin = await openPages(samplesOf('data.coldharbor.org'))
  const html = await (await fetch(`${origin}/services/data.coldharbor.org`, HTML)).text()
  const dark = /dark since (?:<time[^>]*>)?2026-11-18/
  const [, uptime = ''] = /<dt>Uptime<\/dt><dd>(.*?)<\/dd>/s.exec(html) ?? []
  expect(uptime).toMatch(dark)
  const badge = await (await fetch(`${origin}/badge/data.coldharbor.org.svg`)).text()
  expect(badge).toContain('x402 trust: avoid · dark since 2026-11-18')
  expect(uptime.search(dark)).toBeLessThan(uptime.indexOf('%'))
})

test('behavior: a service that was never measured is not called clean', async () => {
  const origin = await openPages(samplesOf('mail.unreached.example'))
  const html = await (await fetch(`${origin}/services/mail.unreached.example`, HTML)).text()
  expect(html).toContain('<p class="verdict">Unknown</p>')
  expect(html).not.toMatch(/clean|safe to pay/i)
})

test('behavior: escapes text from sellers', async () => {
  const origin = await openPages(samplesOf('rtl.hostile.example'))
  const html = await (await fetch(`${origin}/services/rtl.hostile.example`, HTML)).text()
  expect(html).toContain('&lt;script>alert(&quot;x&quot;)&lt;/script>')
  expect(html).not.toContain('\u202e')
  expect(html).not.toContain('bazaar"><b>')
  expect(html.length).toBeLessThan(60_000)
})

test('behavior: a profile shows what is known of its receiver, and how many hosts use it', async () => {
  const [one] = samplesOf('api.skycast.dev')
  if (one === undefined) throw new Error('sample not found')
  const payTo = '0x1111111111111111111111111111111111111111'
  const read = async (...hosts: string[]) => {
    const origin = await openPages(hosts.map((host) => ({ ...one, host, payTo })))
    return (await fetch(`${origin}/services/a.example`, HTML)).text()
  }
  const alone = await read('a.example')
  expect(alone.replace(/<[^>]*>/g, '')).toMatch(
    /\d+ USDC receipts from \d+ payers in 90 days, \d+ from \d+ that it did not fund itself, at block [\d,]+, read from .{4,20} on\. The sanctions oracle does not list it\./,
  )
  expect(alone).not.toContain('Used by')
  expect(await read('a.example', 'b.example', 'c.example')).toContain('Used by 3 audited hosts.')
})

test('behavior: serves the profile of a host with a port', async () => {
  const [one] = samplesOf('pdf.paperclip.tools')
  if (one === undefined) throw new Error('sample not found')
  const origin = await openPages([{ ...one, host: 'pdf.paperclip.tools:8443' }])
  const answer = await fetch(`${origin}/services/pdf.paperclip.tools%3A8443`, HTML)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('pdf.paperclip.tools:8443')
})

test('behavior: the stylesheet is cacheable for 30 days', async () => {
  const origin = await openPages([])
  const html = await (await fetch(origin, HTML)).text()
  const [, path = ''] = /href="(\/assets\/style\.css\?v=[0-9a-f]{10})"/.exec(html) ?? []
  const answer = await fetch(origin + path)
  expect(answer.headers.get('content-type')).toBe('text/css; charset=utf-8')
  expect(answer.headers.get('cache-control')).toContain('max-age=2592000')
  expect(await answer.text()).toContain('--safe:')
})

test('error: answers 404 for an unknown host and offers a check', async () => {
  const origin = await openPages([])
  const page = await fetch(`${origin}/services/nobody.example`, HTML)
  expect(page.status).toBe(404)
  expect(await page.text()).toMatch(/Not Found.*<form class="search large"/s)
  const json = await fetch(`${origin}/services/nobody.example`)
  expect(json.status).toBe(404)
  expect(json.headers.get('content-type')).toBe('application/problem+json')
})
