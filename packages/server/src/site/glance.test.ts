import { expect, test } from 'vitest'
import { HTML, openPages, samplesOf } from './testing/openPages.ts'

const textOf = (html: string) => html.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')

test('behavior: a search for an endpoint that was never probed does not answer with the verdict on its host', async () => {
  const origin = await openPages(samplesOf('api.skycast.dev'))
  const ask = async (query: string) => (await fetch(`${origin}/?q=${encodeURIComponent(query)}`, HTML)).text()
  const [, panel = ''] =
    /<section class="panel hero (.*?)<\/section>/s.exec(await ask('https://api.skycast.dev/v9/never-seen')) ??
    []
  expect(panel).toMatch(/^v-unknown/)
  expect(panel).toContain('<p class="verdict">Unknown</p>')
  expect(panel).not.toContain('class="score"')
  expect(textOf(panel)).toContain('Not looked at yet: nothing is known about this endpoint.')
  expect(panel).toMatch(/<p class="apart">The host is .*Safe to pay.*api\.skycast\.dev/s)
  expect(panel).toContain('/trust?endpoint=https%3A%2F%2Fapi.skycast.dev%2Fv9%2Fnever-seen')
  expect(await ask('https://api.skycast.dev/')).toContain('<p class="verdict">Safe to pay</p>')
  expect(await ask('https://api.skycast.dev/v1/alerts')).toContain('<p class="verdict">Safe to pay</p>')
})

test('behavior: a search for what is unknown offers a scan and a submission of it', async () => {
  const scans = { start: () => Promise.reject(new Error('not asked')), read: async () => undefined }
  const lookSubmitted = () => Promise.reject(new Error('not asked'))
  const offer = { scans, lookSubmitted }
  const open = async (changes = {}) => {
    const origin = await openPages(samplesOf('api.skycast.dev'), changes)
    return async (query: string) => (await fetch(`${origin}/?q=${encodeURIComponent(query)}`, HTML)).text()
  }
  const ask = await open(offer)
  for (const [query, url] of [
    ['https://nobody.example/a?b=1', 'https://nobody.example/a'],
    ['nobody.example', 'https://nobody.example/'],
    ['https://api.skycast.dev/v9/never-seen', 'https://api.skycast.dev/v9/never-seen'],
  ] as const) {
    const page = await ask(query)
    expect(page).toContain(`href="/submissions?url=${encodeURIComponent(url)}"`)
    expect(page).toMatch(new RegExp(`<input id="scan-found" name="url"[^>]* value="${url}"`))
    expect(page.match(/id="scan-url"/g)).toHaveLength(1)
  }
  for (const query of ['hello', 'two words', 'https://hello/a']) {
    const page = await ask(query)
    expect(page).toContain('This is no host name or URL. Try api.example.com.')
    expect(page).not.toMatch(/scan-found|\/trust\?endpoint=/)
  }
  expect(await (await open({ ...offer, developmentHosts: ['hello'] }))('hello')).toContain('id="scan-found"')
  expect(await (await open())('nobody.example')).not.toMatch(/scan-found|href="\/submissions\?url=/)
})

test('behavior: a host that declines probes is said to do so on its page, badge and in searches', async () => {
  const host = 'quiet.example'
  const origin = await openPages([
    { host, paths: ['/a'], days: 9, priceMicro: 1000, optsOut: true, outcome: () => 'not_measured' },
  ])
  const profile = textOf(await (await fetch(`${origin}/services/${host}`, HTML)).text())
  expect(profile).toContain('This host declines probes, so nothing is measured. Unknown is not safe.')
  expect(profile).not.toMatch(/No measurement yet|Risk level\s*clean/)
  const badge = await (await fetch(`${origin}/badge/${host}.json`)).json()
  expect(badge).toMatchObject({ message: 'declines probes', color: '#5f6775' })
  const found = textOf(await (await fetch(`${origin}/?q=https%3A%2F%2F${host}%2Fa`, HTML)).text())
  expect(found).toContain('The host declines probes, so nothing can be said of paying this endpoint.')
})

test('behavior: the home page shows open incidents before changes, and new services by day', async () => {
  const origin = await openPages()
  const html = await (await fetch(origin, HTML)).text()
  const [, happened = ''] = /id="happened"(.*?)<\/section>/s.exec(html) ?? []
  expect(happened.indexOf('/incidents/inc_')).toBeGreaterThan(0)
  expect(happened.indexOf('/incidents/inc_')).toBeLessThan(happened.indexOf('id="chg_'))
  expect(textOf(happened)).toMatch(/\d+ new services? on \d+ \w{3} 2026/)
  expect(html.indexOf('id="happened"')).toBeLessThan(html.indexOf('id="services"'))
  const [, table = ''] = /id="services"(.*?)<\/table>/s.exec(html) ?? []
  const verdicts = [...table.matchAll(/<span class="tag v-([a-z]+)"/g)].map(([, verdict]) => verdict)
  expect(verdicts[0]).toBe('avoid')
  expect(verdicts.at(-1)).toBe('safe')
  expect(textOf(table)).toMatch(/data\.coldharbor\.org.*?Dark since 18 Nov 2026/)
  expect(html).toContain('<code>npm install @touchstone402/guard</code>')
  expect(html.length).toBeLessThan(60_000)
})
