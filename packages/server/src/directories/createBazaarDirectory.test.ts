import { expect, test } from 'vitest'
import { isDeclaredByHost } from '../facts/facts.ts'
import { entry, PAY_TO, start, USDC, v1Item, v2Item } from './testing/bazaar.ts'
import { cleanUpAfterEach, pageOf, readAll, serve } from './testing/harness.ts'

cleanUpAfterEach()

const readItems = async (...items: unknown[]) =>
  readAll(
    start(
      await serve((_request, url) => ({
        items: pageOf(items, url, 100),
        pagination: { total: items.length },
      })),
    ),
  )

test('behavior: reports whether an item describes its output', async () => {
  const { rows } = await readItems(
    { ...v2Item, extensions: { bazaar: { info: { output: { type: 'json' } } } } },
    { ...v2Item, extensions: { bazaar: { schema: { properties: { output: {} } } } } },
    { ...v2Item, extensions: { bazaar: { info: { output: 'text' } } } },
    { ...v2Item, extensions: undefined, accepts: [{ outputSchema: { output: {} } }] },
  )
  expect(rows.map(({ declaresOutput }) => declaresOutput)).toEqual([true, true, false, true])
})

test('default', async () => {
  const { rows } = await readItems(v2Item, v1Item)
  expect(rows).toEqual([
    {
      directory: 'bazaar',
      endpoint: 'https://api.shop.example/search',
      host: 'api.shop.example',
      url: 'https://api.shop.example/search?lang=en&v=2',
      method: 'POST',
      body: '{"q":"tea","n":3}',
      declaresInput: true,
      declaresOutput: false,
      title: 'Search the web',
      category: 'search',
      claims: {
        network: 'eip155:8453',
        asset: USDC,
        payTo: PAY_TO,
        amountAtomic: '20000',
        priceUsd: 0.02,
        healthy: null,
        calls: 84,
      },
      claimedAt: Date.parse('2026-04-26T18:13:16Z'),
      ownClaim: false,
    },
    {
      directory: 'bazaar',
      endpoint: 'https://old.example/quote',
      host: 'old.example',
      url: 'https://old.example/quote?symbol=the+ticker',
      method: 'GET',
      body: null,
      // The text may be a description instead of a sample.
      declaresInput: false,
      declaresOutput: false,
      title: 'A quote',
      category: 'finance',
      claims: expect.objectContaining({
        network: 'eip155:8453',
        amountAtomic: '10000',
        priceUsd: 0.01,
        calls: null,
      }),
      claimedAt: 1_777_000_000_000,
      ownClaim: false,
    },
  ])
})

test('behavior: reads all pages even if they are shorter than requested', async () => {
  const items = Array.from({ length: 23 }, (_, index) => ({
    ...v1Item,
    resource: `https://h${index}.example/`,
  }))
  const seen: string[] = []
  const url = await serve((request, asked) => {
    seen.push(`${request.headers['user-agent']} ${asked.pathname} ${asked.searchParams.get('type')}`)
    return { items: pageOf(items, asked, 5), pagination: { total: 23 } }
  })
  const { rows, pages } = await readAll(start(`${url}/`))
  expect([rows.length, pages, new Set(rows.map(({ host }) => host)).size]).toEqual([23, 5, 23])
  expect(new Set(seen)).toEqual(
    new Set(['Touchstone/0.1 (+https://touchstone.test) /discovery/resources http']),
  )
})

test('behavior: stops at an empty page without a total, and when the directory ignores the offset', async () => {
  const items = [v2Item, v1Item]
  const silent = await serve((_request, url) => ({ items: pageOf(items, url, 1) }))
  expect((await readAll(start(silent))).rows).toHaveLength(2)
  const stubborn = await serve(() => ({ items, pagination: { total: 1_000_000 } }))
  expect((await readAll(start(stubborn))).rows).toHaveLength(2)
})

test('behavior: counts skipped rows by reason and keeps the others', async () => {
  const bad = [null, 7, {}, { resource: 'nonsense' }, { resource: 'http://u:p@x.example/' }, { resource: 5 }]
  const { rows, skipped } = await readItems(
    ...bad,
    v1Item,
    { ...v1Item, type: 'mcp' },
    { ...v1Item, resource: 'monopoly://board/go' },
    { ...v1Item, accepts: [] },
    { ...v1Item, protocol: 'L402' },
  )
  expect(rows).toHaveLength(1)
  expect(skipped).toEqual({ malformed: 4, url_invalid: 2, not_http: 2, no_offers: 1, other_protocol: 1 })
})

test('behavior: treats hostile fields as absent', async () => {
  const { rows, skipped } = await readItems({
    resource: 'https://a.example/x',
    accepts: [{ network: {}, asset: '<script>', payTo: 9, amount: '1e9' }],
    lastUpdated: 'soon',
    description: 'x'.repeat(100_000),
    quality: { l30DaysTotalCalls: -4 },
    extensions: {
      bazaar: { info: { input: { type: 'http', method: 'BREW', body: { a: 'x'.repeat(20_000) } } } },
    },
  })
  expect(skipped).toEqual({})
  expect(rows[0]).toMatchObject({
    method: null,
    body: null,
    declaresInput: false,
    declaresOutput: false,
    claims: { network: null, asset: null, payTo: null, amountAtomic: null, priceUsd: null, calls: null },
    claimedAt: null,
  })
  expect(rows[0]?.title).toHaveLength(200)
})

test('behavior: prefers USDC on Base among several networks', async () => {
  const solana = {
    ...entry,
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    asset: 'EPj',
    payTo: 'abc',
    amount: '9',
  }
  const sepolia = {
    ...entry,
    network: 'eip155:84532',
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    amount: '8',
  }
  const { rows } = await readItems({ ...v2Item, accepts: [solana, sepolia, { ...entry, amount: '7' }] })
  expect(rows[0]?.claims).toMatchObject({ network: 'eip155:8453', amountAtomic: '7' })
  const { rows: others } = await readItems({ ...v2Item, accepts: [solana, sepolia] })
  expect(others[0]?.claims).toMatchObject({ network: 'eip155:84532', amountAtomic: '8' })
})

test('behavior: fills template segments that have a sample, and keeps the others', async () => {
  const input = { type: 'http', method: 'GET', pathParams: { city: 'São Paulo/x' } }
  const template = (resource: string, declared: unknown) => ({
    ...v2Item,
    resource,
    extensions: { bazaar: { info: { input: declared } } },
  })
  const { rows } = await readItems(
    template('https://w.example/weather/:city', input),
    template('https://w.example/{city}/now?unit=c', input),
    template('https://w.example/{other}?unit=c', input),
  )
  expect(rows.map(({ endpoint, url }) => [endpoint, url])).toEqual([
    ['https://w.example/weather/:city', 'https://w.example/weather/S%C3%A3o%20Paulo%2Fx'],
    ['https://w.example/%7Bcity%7D/now', 'https://w.example/S%C3%A3o%20Paulo%2Fx/now?unit=c'],
    ['https://w.example/%7Bother%7D', 'https://w.example/%7Bother%7D'],
  ])
})

test('behavior: invents required fields without a sample, and does not count them as declared', async () => {
  const { rows } = await readItems({
    ...v2Item,
    extensions: {
      bazaar: {
        info: {
          input: {
            type: 'http',
            method: 'GET',
            queryParams: { q: { type: 'string', description: 'what' } },
          },
        },
        schema: {
          properties: {
            input: {
              properties: {
                queryParams: {
                  required: ['n', 'u'],
                  properties: { n: { type: 'integer' }, u: { enum: ['c', 'f'] } },
                },
              },
            },
          },
        },
      },
    },
  })
  expect(rows[0]).toMatchObject({
    url: 'https://api.shop.example/search?lang=en&q=test&n=1&u=c',
    declaresInput: false,
    declaresOutput: false,
  })
})

test('behavior: does not send form input as JSON', async () => {
  const input = { type: 'http', method: 'POST', bodyType: 'form-data', body: { a: 1 } }
  const { rows } = await readItems({ ...v2Item, extensions: { bazaar: { info: { input } } } })
  expect(rows[0]).toMatchObject({ method: 'POST', body: null, declaresInput: false })
})

test('behavior: reads the URL from a resource object or from url, and amounts as numbers', async () => {
  const { resource: listedUrl, description: _text, tags: _tags, ...item } = v2Item
  const terms = [{ ...entry, amount: 20_000 }]
  const { rows, skipped } = await readItems(
    {
      ...item,
      accepts: terms,
      resource: { url: listedUrl, description: 'Search', tags: ['web'], mimeType: 'application/json' },
    },
    { ...item, accepts: terms, url: listedUrl, method: 'put' },
    { ...item, accepts: [{ ...entry, maxAmountRequired: 20_000 }], resource: { url: listedUrl } },
  )
  expect(skipped).toEqual({})
  expect(rows.map(({ endpoint, claims }) => [endpoint, claims.amountAtomic, claims.priceUsd])).toEqual(
    Array(3).fill(['https://api.shop.example/search', '20000', 0.02]),
  )
  expect(rows.map(({ title, category, method }) => [title, category, method])).toEqual([
    ['Search', 'web', 'POST'],
    [null, null, 'PUT'],
    [null, null, 'POST'],
  ])
})

test('behavior: reads a total beside the items', async () => {
  const url = await serve((_request, asked) => ({ resources: pageOf([v2Item, v1Item], asked, 1), total: 2 }))
  expect(await readAll(start(url))).toMatchObject({ rows: [{}, {}], pages: 2 })
})

test('abuse of rule 7: an entry with a foreign receiver and a lower price is no claim of the seller', async () => {
  const rival = `0x${'b'.repeat(40)}`
  const item = { ...v2Item, accepts: [{ ...entry, payTo: rival, amount: '1' }], lastUpdated: '2030-01-01' }
  const { rows } = await readItems(item)
  expect(rows.map((row) => [row.claims.priceUsd, isDeclaredByHost(row)])).toEqual([[0.000001, false]])
})
