import { walletAt } from '@touchstone402/economy'
import {
  type Change,
  FLAGS,
  type Incident,
  OPERATIONS,
  type Profile,
  type TrustHistory,
  VERDICT_LABELS,
  type Verdict,
} from '@touchstone402/shared'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../browser/openBrowser.ts'
import { useService } from '../support/economy.ts'
import { createStockBuyer } from '../support/stockBuyer.ts'

const { economy, service } = await useService()

let browser: Browser
let page: Page

beforeAll(async () => {
  browser = await openBrowser()
  page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
})
afterAll(() => browser?.close())

const read = async <T>(path: string): Promise<T> => {
  const response = await fetch(service.url + path, { headers: { Accept: 'application/json' } })
  expect([path, response.status]).toEqual([path, 200])
  return (await response.json()) as T
}
const sellerOf = (id: string) => {
  const seller = economy.sellers[id]
  if (seller === undefined) throw new Error(`no such seller: ${id}`)
  return seller
}
const shorten = (text: string) =>
  text.replace(/0x[0-9a-f]{40}(?![0-9a-f])/gi, (address) => `${address.slice(0, 8)}…${address.slice(-6)}`)

const [{ incidents }, { changes }] = await Promise.all([
  read<{ incidents: Incident[] }>('/incidents.json?days=365&limit=1000'),
  read<{ changes: Change[] }>('/changes.json?days=365&limit=1000'),
])

/** Everything that is published of a seller as data. */
async function readData(id: string) {
  const { url, host } = sellerOf(id)
  const of = encodeURIComponent(host)
  const [verdict, profile, badge] = await Promise.all([
    read<Verdict>(`/verify?endpoint=${encodeURIComponent(url)}`),
    read<Profile>(`/services/${of}.json`),
    read<{ message: string }>(`/badge/${of}.json`),
  ])
  const isOfHost = (record: { host: string }) => record.host === host
  return { verdict, profile, badge, incidents: incidents.filter(isOfHost), changes: changes.filter(isOfHost) }
}

/** Reads a profile: title, verdict, labelled values, and its whole text with addresses in full. */
async function readPage(id: string) {
  await page.goto(`${service.url}/services/${encodeURIComponent(sellerOf(id).host)}`)
  return page.evaluate(() => {
    const clean = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim()
    const main = document.querySelector('main')
    // Commands and code are tested by running them. The days of the picture are in no free answer: they are bought below.
    for (const code of main?.querySelectorAll('pre, figure .time, figure details') ?? []) code.remove()
    const titles = [...(main?.querySelectorAll('[title]') ?? [])].map((element) =>
      element.getAttribute('title'),
    )
    const terms = [...(main?.querySelectorAll('dt') ?? [])]
    const values = terms.map((term) => [clean(term.textContent), clean(term.nextElementSibling?.textContent)])
    for (const shut of main?.querySelectorAll('details') ?? []) shut.setAttribute('open', '')
    return {
      title: document.title,
      verdict: clean(main?.querySelector('.verdict')?.textContent),
      values: values as [string, string][],
      // biome-ignore lint/performance/useDomNodeTextContent: what is rendered, with the spaces between blocks
      text: clean(main?.innerText),
      addresses: titles.filter((title) => /^0x[0-9a-f]{40}$/i.test(title ?? '')) as string[],
    }
  })
}

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, value = '']) => value)

/** Addresses that a seller uses, and what it asks and lists. */
function actsOf(id: string) {
  const { spec } = sellerOf(id)
  const indexes = [spec.receiver.index, spec.otherReceiver].filter((index) => index !== undefined)
  const listed = [spec.listing.bazaar?.priceUsd, spec.listing.index402?.priceUsd]
  return {
    addresses: indexes.map((index) => walletAt(index).address),
    prices: [spec.priceUsd, ...listed].filter((price) => price !== undefined),
  }
}

const ids = Object.keys(economy.sellers)

test.each(ids)(
  'default: every number and finding on the profile of %s is that of /verify, the JSON and the seller',
  async (id) => {
    const data = await readData(id)
    const { verdict, profile, badge } = data
    const shown = await readPage(id)
    const published = JSON.stringify(data)
    const acts = actsOf(id)

    const label = VERDICT_LABELS[verdict.verdict]
    expect([profile.label, shown.verdict.split(' (')[0]]).toEqual([label, label])
    if (verdict.verdict !== 'unknown') expect(badge.message).toMatch(new RegExp(`^${label}`, 'i'))
    expect(shown.title).toContain(label)

    const scores = [...all(shown.text, /(\d+) of 100/g), ...all(shown.text, /trust (\d+)/g)]
    expect(new Set(scores)).toEqual(new Set(profile.trustScore === null ? [] : [`${profile.trustScore}`]))

    const prices = [
      ...acts.prices,
      verdict.priceUsd,
      ...Object.values(OPERATIONS).map(({ priceUsd }) => priceUsd),
    ]
    const amounts = new Set([...prices.map(Number), ...all(published, /\$(\d+(?:\.\d+)?)/g).map(Number)])
    for (const amount of all(shown.text, /\$(\d+(?:\.\d+)?)/g))
      expect([amount, amounts.has(Number(amount))]).toEqual([amount, true])

    const addresses = new Set(
      [...acts.addresses, ...all(published, /(0x[0-9a-f]{40})/gi)].map((one) => one.toLowerCase()),
    )
    for (const address of shown.addresses)
      expect([address, addresses.has(address.toLowerCase())]).toEqual([address, true])

    const shares = new Set(
      all(published, /(\d+(?:\.\d+)?) ?%/g)
        .map(Number)
        .concat(verdict.uptimePct ?? []),
    )
    for (const share of all(shown.text, /(\d+(?:\.\d+)?) ?%/g))
      expect([share, shares.has(Number(share))]).toEqual([share, true])
    const counts = new Set(
      all(published, /(\d+) probes/g)
        .map(Number)
        .concat(verdict.probes),
    )
    for (const count of all(shown.text, /\b(\d+) probes/g))
      expect([count, counts.has(Number(count))]).toEqual([count, true])

    const said = shown.text.toLowerCase()
    for (const { message } of verdict.reasons) {
      const [measured = ''] = shorten(message).toLowerCase().split(' clears ')
      expect(said).toContain(measured)
    }
    for (const flag of FLAGS) {
      expect([flag, new RegExp(`\\b${flag}\\b`).test(shown.text)]).toEqual([
        flag,
        profile.flags.includes(flag),
      ])
    }
  },
)

test.each(ids)('behavior: the terms of %s are those it asks for now', async (id) => {
  const { verdict, profile } = await readData(id)
  const { values, text } = await readPage(id)
  const shownAs = (name: string) => values.filter(([term]) => term === name).map(([, value]) => value)
  if (profile.endpoints.every(({ status }) => status !== 'live')) {
    expect(shownAs('Asks for')).toEqual([])
    expect(text).not.toMatch(/asks now/i)
    return
  }
  const { spec, receiver } = sellerOf(id)
  const network = id === 'testnet' ? 'Base Sepolia' : 'Base'
  expect(shownAs('Network')).toEqual([network])
  const [asked = ''] = shownAs('Asks for')
  const [, price = '', on, to = ''] =
    /^(\S+) in .* on (.+) to (.+) by [A-Z]+$/.exec(asked) ?? expect.fail(asked)
  expect(on).toBe(network)
  expect(Number(price.replace('$', ''))).toBe(id === 'fake-asset' ? Number.NaN : Number(spec.priceUsd))
  // Who asks decides which of its receivers it names.
  if (verdict.flags.some((flag) => flag === 'payto_rotates' || flag === 'cloaked')) return
  expect(to.toLowerCase()).toBe(shorten(receiver).toLowerCase())
})

test.each(['honest-v2', 'swapped', 'dead'])(
  'behavior: the picture of %s holds the days, prices and receivers that /trust/history sells',
  async (id) => {
    const buy = createStockBuyer(economy)
    const url = `${service.url}/trust/history?endpoint=${encodeURIComponent(sellerOf(id).url)}`
    const record = (await (await buy(url)).json()) as TrustHistory
    await page.goto(`${service.url}/services/${encodeURIComponent(sellerOf(id).host)}`)
    const shown = await page.locator('.time title').allTextContents()
    for (const { date, up, down } of record.daily.filter((day) => day.up + day.down > 0))
      expect(shown).toContainEqual(expect.stringContaining(`${date}: ${up} of ${up + down} probe`))
    expect(shown.filter((text) => / of \d+ probe/.test(text))).toHaveLength(
      record.daily.filter((day) => day.up + day.down > 0).length,
    )
    for (const { payTo } of record.payToHistory)
      expect(shown.join('\n').toLowerCase()).toContain(shorten(payTo).toLowerCase())
    for (const { priceUsd } of record.priceHistory) expect(shown.join('\n')).toContain(`$${priceUsd} from`)
  },
)

/** The conduct of each bad or special seller, as its page must state it. */
const DEEDS: Readonly<Record<string, readonly RegExp[]>> = {
  swapped: [/Before/, /Now/, /receiver changed/i],
  'price-bait': [/\$0\.01/, /\$0\.05/],
  cloaker: [/clients? g[eo]t/i],
  overpriced: [/\$2\.5/],
  testnet: [/test network/],
  'fake-asset': [/issuer of a stablecoin/],
  'never-paid': [/no USDC receipts|0 USDC receipts/],
  'per-request': [/new receiver for each request|changes from request to request/],
  dead: [/nothing now/, /HTTP 500/],
  'no-terms': [/without (a )?valid/],
  'opted-out': [/declines probes/],
  announced: [/announced/i],
}

test.each(Object.entries(DEEDS))('behavior: the page of %s says what the seller does', async (id, deeds) => {
  const { text, addresses } = await readPage(id)
  for (const deed of deeds) expect(text).toMatch(deed)
  if (['swapped', 'cloaker', 'announced'].includes(id)) {
    for (const address of actsOf(id).addresses)
      expect(addresses.map((one) => one.toLowerCase())).toContain(address.toLowerCase())
  }
  if (id === 'announced') expect(text).not.toMatch(/receiver changed/i)
})
