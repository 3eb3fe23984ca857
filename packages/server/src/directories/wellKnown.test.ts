import { BASE, BASE_USDC } from '@touchstone402/shared'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ListedRow } from '../facts/facts.ts'
import { readWellKnown } from './hostDocuments.ts'

const ORIGIN = 'https://api.shop.example'
const A = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const TERMS = { scheme: 'exact', network: BASE, asset: BASE_USDC, payTo: A }
const WHOLE = { network: BASE, asset: BASE_USDC, payTo: A, priceUsd: 0.01 }
const PRICED = { network: null, asset: null, payTo: null, priceUsd: 0.01 }

type Read = { path: string; method?: string | null } & Partial<ListedRow['claims']>
const one = (more: Partial<Read> = {}): Read[] => [{ path: '/a', ...PRICED, ...more }]

/** Documents as sellers publish them, and what they claim. */
const SHAPES: readonly [name: string, document: unknown, rows: readonly Read[]][] = [
  ['texts', { version: 1, resources: [`${ORIGIN}/a`] }, one({ priceUsd: null })],
  ['texts with a method', { resources: ['POST /a'] }, one({ method: 'POST', priceUsd: null })],
  ['a bare list', [{ resource: { url: '/a' }, price: 0.01 }], one()],
  ['accepts of v2', { resources: [{ url: '/a', accepts: [{ ...TERMS, amount: '10000' }] }] }, one(WHOLE)],
  [
    'accepts of v1',
    { items: [{ resource: '/a', accepts: [{ ...TERMS, network: 'base', maxAmountRequired: '10000' }] }] },
    one(WHOLE),
  ],
  [
    'accepts of a route configuration',
    { routes: [{ route: 'POST /a', accepts: [{ ...TERMS, asset: undefined, price: '$0.01' }] }] },
    one({ ...WHOLE, asset: null, method: 'POST' }),
  ],
  [
    'accepts under a name of USDC',
    { resources: [{ path: '/a', ...TERMS, asset: 'USDC', amount: 10_000 }] },
    one(WHOLE),
  ],
  ['a price as text', { endpoints: [{ path: '/a', method: 'GET', price: '$0.01' }] }, one({ method: 'GET' })],
  ['a price with its currency', { endpoints: [{ path: '/a', price: '0.01 USDC' }] }, one()],
  ['an amount as text', { endpoints: [{ path: '/a', amount: '$0.01' }] }, one()],
  ['a decimal amount', { endpoints: [{ path: '/a', maxAmountRequired: '0.01' }] }, one()],
  ['price_usd', { resources: [{ endpoint: 'POST /a', price_usd: 0.01 }] }, one({ method: 'POST' })],
  ['price_usdc', { resources: [{ http: `GET ${ORIGIN}/a`, price_usdc: '0.01' }] }, one({ method: 'GET' })],
  ['a price as terms', { resources: [{ url: '/a', price: { ...TERMS, amount: '10000' } }] }, one(WHOLE)],
  [
    'a price in a currency',
    { resources: [{ url: '/a', price: { mode: 'fixed', currency: 'USD', amount: '0.010000' } }] },
    one(),
  ],
  [
    'terms once for all',
    { network: 'base', asset: 'USDC', payTo: A, resources: [{ path: '/a', price_usd: 0.01 }] },
    one(WHOLE),
  ],
  [
    'terms once for all, beside the list',
    { payment: TERMS, endpoints: [{ path: '/a', price: '$0.01' }] },
    one(WHOLE),
  ],
  [
    'endpoints as an object',
    { endpoints: { '/a': { method: 'POST', price: '$0.01' } } },
    one({ method: 'POST' }),
  ],
  [
    'endpoints as an object by method and path',
    { network: BASE, pay_to: A, endpoints: { 'GET /a': { price: '$0.01', description: 'A' } } },
    one({ network: BASE, payTo: A, method: 'GET' }),
  ],
  [
    'endpoints as an object, then by method',
    { endpoints: { '/a': { post: { price: 0.01 } } } },
    one({ method: 'POST' }),
  ],
  ['endpoints as an object by name', { endpoints: { a: { url: `${ORIGIN}/a`, price: 0.01 } } }, one()],
  ['prices by path', { x402: { pricing: { '/a': '$0.01', currency: 'USD' } } }, one()],
  [
    'groups',
    { endpoints: { free: ['GET /health'], paid: ['GET /a'] } },
    one({ method: 'GET', priceUsd: null }),
  ],
  ['paidHttpResources', { paidHttpResources: [{ resource: '/a', price: '$0.01' }] }, one()],
  ['services', { services: [{ name: 'A', endpoint: '/a', price: 0.01 }] }, one()],
  ['lists of services', { services: [{ url: `${ORIGIN}/`, endpoints: ['/a'] }] }, one({ priceUsd: null })],
  ['a wrapped list', { x402: { version: '1.0', resources: [{ path: '/a', price: 0.01 }] } }, one()],
]

const read = (document: unknown) => readWellKnown('host', ORIGIN, document)

describe('rule 8: own claims are all read', () => {
  test.each(SHAPES)('default: %s', (_name, document, expected) => {
    const { rows, skipped } = read(document)
    const found = rows.map(({ url, method, claims: { network, asset, payTo, priceUsd } }) => {
      return { path: url.slice(ORIGIN.length), method, network, asset, payTo, priceUsd }
    })
    expect(found).toEqual(expected.map((row) => ({ method: null, ...row })))
    expect(skipped).toEqual({})
  })

  test('behavior: free routes are no claims', () => {
    const { rows, skipped } = read({
      resources: [
        { path: '/zero', price: 0 },
        { path: '/text', price: 'free' },
        { path: '/dollars', price: '$0.00' },
        { path: '/atomic', accepts: [{ ...TERMS, amount: '0' }] },
        { path: '/said', free: true },
        {
          path: '/tiers',
          accepts: [
            { ...TERMS, amount: '0' },
            { ...TERMS, amount: '10000' },
          ],
        },
      ],
    })
    expect(rows.map(({ endpoint, claims }) => [endpoint, claims.priceUsd])).toEqual([
      [`${ORIGIN}/tiers`, 0.01],
    ])
    expect(skipped).toEqual({ free: 5 })
  })

  test.each([
    ['an atomic amount without an asset', { amount: '10000', network: BASE }],
    ['an amount in an unknown unit', { amount: '10000' }],
    ['a number as an amount', { amount: 10 }],
    ['another currency', { price: '0.01', currency: 'EUR' }],
    ['a token without a price', { price: '0.01', asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' }],
    ['an amount of another protocol', { amount: '1000000', currency: A, intent: 'charge' }],
    ['a range', { price: { mode: 'dynamic', min: '0.01', max: '5' } }],
    ['a sentence', { price: 'from $0.01' }],
  ])('behavior: does not guess the price of %s', (_name, terms) => {
    expect(read({ resources: [{ path: '/a', ...terms }] }).rows[0]?.claims.priceUsd).toBeNull()
  })

  test('behavior: samples are read from parameters, by name, in a list, or in a schema', () => {
    const { rows } = read({
      endpoints: [
        { path: '/enum', parameters: { chain: { type: 'string', enum: ['base', 'solana'] } } },
        {
          path: '/example',
          parameters: { city: { example: 'Oslo' }, days: { type: 'integer', example: 3 } },
        },
        { path: '/examples', params: [{ name: 'q', required: true, examples: ['tea'] }] },
        { path: '/named', parameters: [{ name: 'q', examples: { one: { value: 'tea' } } }] },
        { path: '/{city}', parameters: [{ name: 'city', in: 'path', example: 'Oslo' }] },
        {
          path: '/optional',
          parameters: { q: { example: 'tea' }, page: { type: 'integer', required: false } },
        },
        { path: '/text', parameters: { q: 'what to look for' } },
        { path: '/unfit', parameters: { days: { type: 'integer', maximum: 7, example: 30 } } },
        {
          path: '/post',
          method: 'POST',
          inputSchema: {
            type: 'object',
            required: ['q'],
            properties: { q: { type: 'string', examples: ['tea'] }, n: { type: 'integer' } },
          },
        },
      ],
    })
    const sent = rows.map(({ url, body, declaresInput }) => [url.slice(ORIGIN.length), body, declaresInput])
    expect(sent).toEqual([
      ['/enum?chain=base', null, true],
      ['/example?city=Oslo&days=3', null, true],
      ['/examples?q=tea', null, true],
      ['/named?q=tea', null, true],
      ['/Oslo', null, true],
      ['/optional?q=tea', null, true],
      ['/text?q=test', null, false],
      ['/unfit?days=30', null, false],
      ['/post', '{"q":"tea"}', true],
    ])
  })

  test('behavior: any document is read without errors, and names its own host alone', () => {
    const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('/a', 'GET /b', '$0.01', 'free', 0, null),
        tie('object'),
      ),
      object: fc.dictionary(
        fc.constantFrom(
          'resources',
          'endpoints',
          'x402',
          '/a',
          'post',
          'price',
          'parameters',
          'accepts',
          '__proto__',
        ),
        fc.oneof(tie('value'), fc.array(tie('value'), { maxLength: 3 })),
        { maxKeys: 5 },
      ),
    })).value
    fc.assert(
      fc.property(value, (document) => {
        expect(
          read(JSON.parse(JSON.stringify(document))).rows.every(({ host }) => host === 'api.shop.example'),
        ).toBe(true)
      }),
    )
  })
})
