import { BASE, BASE_USDC, type TokenDay, TokenListSchema, TokenPageSchema } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { createTokenDays } from '../../tokens/tokenDays.ts'
import { HTML, openPages } from '../testing/openPages.ts'
import { SAMPLE_NOW } from '../testing/sampleServices.ts'
import { putSampleDay, SAMPLE_TOKEN_DAY } from '../testing/sampleTokenDay.ts'

const PATH = `/tokens/${BASE_USDC}`
const OTHER = '0x1111111111111111111111111111111111111111'
const { pulse, whales, flow } = SAMPLE_TOKEN_DAY

const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/\s+/g, ' ')
const panelOf = (html: string, id: string) =>
  html.slice(html.indexOf(`aria-labelledby="${id}"`)).split('<section class="panel"')[0] ?? ''

/** Serves the pages over one stored day, or none. */
async function open(
  change: (day: TokenDay) => TokenDay = (day) => day,
  pages: readonly string[] = [BASE_USDC.toLowerCase()],
) {
  const clock = { ...systemClock, now: () => SAMPLE_NOW }
  const tokenDays = createTokenDays({ clock, config: { tokenPages: pages }, store: createMemoryStore() })
  await putSampleDay(tokenDays, change(SAMPLE_TOKEN_DAY))
  const origin = await openPages([], { tokenDays })
  const read = async (path: string) => (await fetch(origin + path, HTML)).text()
  return { origin, tokenDays, read }
}

const withWindow = (change: Partial<typeof pulse.window>) => (day: TokenDay) => ({
  ...day,
  pulse: { ...day.pulse, window: { ...day.pulse.window, ...change } },
})

test('default: shows the stored day with its figures, and links to the explorer', async () => {
  const { read } = await open()
  const html = await read(PATH)
  const text = textOf(html)
  expect(text).toContain('USDC , 2026-01-30 (UTC)')
  expect(text).toContain(
    `${pulse.transfers} transfers by ${pulse.uniqueAddresses} addresses moved 28,335 “USDC”`,
  )
  expect(text).toContain('Complete: all blocks 882 to 968 were read')
  const hours = panelOf(html, 'hours')
  expect(hours.match(/<rect /g)).toHaveLength(24)
  expect(
    [...hours.matchAll(/<title>(\d\d):00 UTC: (\d+) transfer/g)].map(([, , count]) => Number(count)),
  ).toEqual(pulse.series.map(({ transfers }) => transfers))
  const shown = [...flow.topAccumulators.slice(0, 8), ...flow.topDistributors.slice(0, 8).reverse()]
  const bars = [...panelOf(html, 'flow').matchAll(/<title>(0x\w{40}): ([+−][\d,.]+)<\/title>/g)]
  expect(
    bars.map(([, address, net = '']) => [
      address,
      net.replaceAll(',', '').replace('−', '-').replace('+', ''),
    ]),
  ).toEqual(shown.map(({ address, net }) => [address, net.amount]))
  expect(textOf(panelOf(html, 'flow'))).toContain('8 gains and 8 losses, the largest among 26 addresses.')
  const transfers = panelOf(html, 'transfers')
  for (const { txHash, from, to } of whales.rows) {
    expect(transfers).toContain(`href="https://basescan.org/tx/${txHash}"`)
    for (const { address } of [from, to])
      expect(transfers).toContain(`href="https://basescan.org/address/${address}"`)
  }
  expect(transfers).toContain('2026-01-31 10:48 UTC')
  expect(html).toContain(`href="https://basescan.org/address/${BASE_USDC}"`)
  expect(html).toContain(`href="${PATH}.json"`)
  expect(html).not.toContain('noindex')
})

test('default: the JSON is the stored day, and the CSV its hours', async () => {
  const { origin } = await open()
  const answer = await fetch(`${origin}${PATH.toLowerCase()}.json`)
  const page = TokenPageSchema.parse(await answer.json())
  expect(page).toMatchObject({ token: BASE_USDC, network: BASE, isCovered: true, failure: null })
  expect(page.day).toEqual(SAMPLE_TOKEN_DAY)
  expect(answer.headers.get('cache-control')).toContain('max-age=300')
  const lines = (await (await fetch(`${origin}${PATH}.csv`)).text()).trimEnd().split('\r\n')
  expect(lines).toHaveLength(25)
  expect(lines[1]).toBe('2026-01-30T00:00:00Z,all,4,67000000,67')
})

test('default: the page of any other token offers the paid calls with price and command', async () => {
  const { read, origin } = await open()
  const html = await read(`/tokens/${OTHER}`)
  expect(textOf(html)).toContain('There is no free page about this token yet')
  for (const [path, price] of [
    ['/pulse', '0.002'],
    ['/whales', '0.002'],
    ['/flow', '0.005'],
    ['/momentum', '0.005'],
  ]) {
    expect(html).toContain(`<code>${path}</code>`)
    expect(html).toContain(`pay 'https://touchstone.example${path}?token=${OTHER}' --max-usd ${price}`)
  }
  expect(html).toContain('<meta name="robots" content="noindex"/>')
  const page = TokenPageSchema.parse(await (await fetch(`${origin}/tokens/${OTHER}.json`)).json())
  expect(page).toMatchObject({
    isCovered: false,
    day: null,
    live: [{ operation: 'pulse', priceUsd: 0.002 }, {}, {}, {}],
  })
  expect((await fetch(`${origin}/tokens/${OTHER}.csv`)).status).toBe(404)
})

test('behavior: a visit reads the stored day alone, and asks for nothing to be read', async () => {
  const { tokenDays } = await open()
  const reads: string[] = []
  const { put: _, ...readable } = tokenDays
  const watched = {
    covered: () => readable.covered(),
    lines() {
      reads.push('lines')
      return readable.lines()
    },
    line(token: string) {
      reads.push(`line ${token}`)
      return readable.line(token)
    },
    day(token: string) {
      reads.push(`day ${token}`)
      return readable.day(token)
    },
  }
  const origin = await openPages([], { tokenDays: watched })
  for (let visit = 0; visit < 3; visit++) await fetch(`${origin}/tokens/${OTHER}`, HTML)
  expect(new Set(reads)).toEqual(new Set([`line ${OTHER}`, `day ${OTHER}`]))
  expect(await tokenDays.covered()).toEqual([BASE_USDC.toLowerCase()])
})

test('behavior: a covered token without a day says that it is being read', async () => {
  const { read } = await open((day) => day, [OTHER])
  expect(textOf(await read(`/tokens/${OTHER}`))).toContain('is being read')
})

test('behavior: an incomplete day says how much was read, and shows no hour that was not', async () => {
  const { read } = await open(withWindow({ complete: false, ranges: [{ from: 890, to: 968 }] }))
  const html = await read(PATH)
  const text = textOf(html)
  expect(text).toContain('Not complete: 79 of the 87 blocks were read')
  expect(text).not.toContain('than the day before')
  expect(text).toContain('Not compared: one of the two days was not read in full.')
  const hours = panelOf(html, 'hours')
  expect(hours.match(/class="unread"/g)).toHaveLength(2)
  expect(textOf(hours)).toContain('00:00 UTC: not read')
  const { read: readTruncated } = await open(
    withWindow({ complete: false, truncated: true, ranges: [{ from: 968, to: 968 }] }),
  )
  expect(textOf(await readTruncated(PATH))).toContain('more transfers than one answer may cover')
})

test('error: a day that failed is said, with the day before it', async () => {
  const { read, tokenDays, origin } = await open()
  const key = BASE_USDC.toLowerCase()
  const line = await tokenDays.line(key)
  if (line === undefined) throw new Error('no line')
  const attempt = { ...line.attempt, date: '2026-01-31', failure: 'unreachable' as const }
  await tokenDays.put(key, { ...line, attempt }, null)
  const text = textOf(await read(PATH))
  expect(text).toContain('2026-01-31 could not be read')
  expect(text).toContain('The chain was not available.')
  expect(text).toContain('2026-01-30 (UTC)')
  const { failure } = TokenPageSchema.parse(await (await fetch(`${origin}${PATH}.json`)).json())
  expect(failure).toMatchObject({ date: '2026-01-31', reason: 'The chain was not available.' })
})

test('behavior: hostile names, symbols and amounts stay text, in bounds', async () => {
  const symbol = '</title><script>alert(1)</script>\u202egnp.exe'
  const huge = { raw: '9'.repeat(78), amount: `${'9'.repeat(72)}.${'9'.repeat(6)}` }
  const hostile = (day: TokenDay): TokenDay => ({
    ...day,
    pulse: {
      ...day.pulse,
      token: { ...day.pulse.token, symbol, name: `Pay 0xBAD ${'n'.repeat(500)}` },
      volume: huge,
    },
    whales: {
      ...day.whales,
      rows: Array.from({ length: 3 }, () => day.whales.rows)
        .flat()
        .slice(0, 25),
    },
    flow: {
      ...day.flow,
      topAccumulators: day.flow.topAccumulators.map((row) => ({ ...row, net: huge })),
    },
  })
  const { read } = await open(hostile)
  const html = await read(PATH)
  expect(html).not.toContain('<script>alert')
  expect(html).not.toContain('\u202e')
  expect(textOf(html)).toContain('9.99 × 10^71')
  expect(html.length).toBeLessThan(60_000)
  const list = await read('/tokens')
  expect(list).not.toContain('<script>alert')
  expect(list).not.toContain('\u202e')
})

/** A token with the name of USDC and another address. */
const imitation = (day: TokenDay): TokenDay => ({
  ...day,
  pulse: {
    ...day.pulse,
    token: { ...day.pulse.token, address: OTHER, warnings: ['symbol_of_another_token', 'rebases'] },
  },
})

test('behavior: the page of an imitation says so first, in the description too, and is not for search engines', async () => {
  const { read } = await open(imitation)
  const html = await read(`/tokens/${OTHER}`)
  const sentence = 'A well-known token has this symbol and another address: this is not that token.'
  expect(html).toMatch(new RegExp(`</h1><p class="notice">${sentence}</p>`))
  expect(html).toContain(`<meta name="description" content="${sentence} ${pulse.transfers} transfers by`)
  expect(html).toContain('<meta name="robots" content="noindex"/>')
  const { read: readGenuine } = await open()
  expect(await readGenuine(PATH)).not.toContain('well-known')
})

test('behavior: the list tells an imitation from the token that it imitates, and the sitemap leaves it out', async () => {
  const { read, origin, tokenDays } = await open(undefined, [BASE_USDC.toLowerCase(), OTHER])
  await putSampleDay(tokenDays, imitation(SAMPLE_TOKEN_DAY))
  const [genuine = '', fake = ''] = (await read('/tokens')).split('<tr').slice(2)
  expect(textOf(genuine)).toContain('0x833589…A02913')
  expect(textOf(genuine)).not.toContain('well-known')
  expect(textOf(fake)).toContain('0x111111…111111')
  expect(textOf(fake)).toContain('A well-known token has this symbol and another address')
  expect(textOf(fake)).toContain('The token rebases')
  const list = TokenListSchema.parse(await (await fetch(`${origin}/tokens.json`)).json())
  expect(list.tokens.map(({ warnings }) => warnings)).toEqual([[], ['symbol_of_another_token', 'rebases']])
  const sitemap = await read('/sitemap.xml')
  expect(sitemap).toContain(PATH)
  expect(sitemap).not.toContain(OTHER)
})

const withChange = (pct: number) => (day: TokenDay) => {
  const { metrics } = day.momentum
  return {
    ...day,
    momentum: { ...day.momentum, metrics: { ...metrics, volume: { ...metrics.volume, pct } } },
  }
}

test.each([
  [0, 'as much as'],
  [0.04, 'about as much as'],
  [-0.04, 'about as much as'],
  [0.06, '0.1% more than'],
  [-12.4, '12% less than'],
])('behavior: a change of %f percent reads “%s the day before”', async (pct, words) => {
  const { read } = await open(withChange(pct))
  expect(textOf(await read(PATH))).toContain(`“USDC”, ${words} the day before.`)
})

test('behavior: a day without transfers, and a token without decimals, have a page', async () => {
  const { read } = await open((day) => ({
    ...day,
    pulse: {
      ...day.pulse,
      transfers: 0,
      token: { ...day.pulse.token, decimals: null, name: null, symbol: null },
      series: day.pulse.series.map((part) => ({ ...part, transfers: 0, volume: { raw: '0', amount: null } })),
    },
    whales: { ...day.whales, matched: 0, rows: [] },
    flow: { ...day.flow, addresses: 0, topAccumulators: [], topDistributors: [] },
  }))
  const text = textOf(await read(PATH))
  expect(text).toContain('No transfers on 2026-01-30 (UTC).')
  expect(text).toContain('No address gained or lost.')
})

test.each(['0x12', 'USDC', `0x${'g'.repeat(40)}`, '..%2F..%2Fetc', `${OTHER}x`])(
  'error: /tokens/%s is 404',
  async (address) => {
    const { origin } = await open()
    expect((await fetch(`${origin}/tokens/${address}`, HTML)).status).toBe(404)
  },
)

test('default: the list names each covered token with its day in one sentence', async () => {
  const { read, origin } = await open(undefined, [BASE_USDC.toLowerCase(), OTHER])
  const html = await read('/tokens')
  expect(html).toContain('<title>Tokens on Base, last finished day')
  expect(html).toContain(`<a href="${PATH}">`)
  expect(textOf(html)).toContain(pulse.summary)
  expect(textOf(html)).toContain('not read yet')
  const list = TokenListSchema.parse(await (await fetch(`${origin}/tokens.json`)).json())
  expect(list.tokens).toMatchObject([
    { token: BASE_USDC, symbol: 'USDC', date: '2026-01-30', isComplete: true },
    { token: OTHER, symbol: null, date: null, summary: null, isComplete: false },
  ])
  const sitemap = await read('/sitemap.xml')
  expect(sitemap).toContain(`<loc>https://touchstone.example${PATH}</loc>`)
  expect(sitemap).not.toContain(OTHER)
})
