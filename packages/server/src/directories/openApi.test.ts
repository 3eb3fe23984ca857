import { BASE, BASE_USDC } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { readOpenApi } from './openApi.ts'

const ORIGIN = 'https://api.shop.example'
const A = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const TERMS = { network: 'base', asset: 'USDC', payTo: A }

const read = (paths: Record<string, unknown>) => readOpenApi('host', ORIGIN, { openapi: '3.1.0', paths })
const claimOf = (operation: object) => read({ '/a': { get: operation } }).rows[0]?.claims

test.each([
  ['a price with its currency', { price: { mode: 'fixed', currency: 'USD', amount: '0.01' } }],
  ['a price as text', { price: '$0.01', protocols: ['x402'] }],
  ['a bare price', { pricingMode: 'fixed', price: '0.01', protocols: [{ x402: {} }, { mpp: {} }] }],
  ['terms', { ...TERMS, scheme: 'exact', maxAmountRequired: '10000' }],
  ['accepts', { accepts: [{ ...TERMS, network: BASE, asset: BASE_USDC, amount: '10000' }] }],
])('rule 8: reads the claim of x-payment-info with %s', (_name, payment) => {
  expect(claimOf({ 'x-payment-info': payment })?.priceUsd).toBe(0.01)
})

test('rule 8: reads receiver and network beside the price', () => {
  const claims = { network: BASE, asset: BASE_USDC, payTo: A, priceUsd: 0.01 }
  expect(claimOf({ 'x-payment-info': { ...TERMS, price: '$0.01' } })).toMatchObject(claims)
  expect(claimOf({ 'x-x402': { ...TERMS, price: 0.01, currency: 'USDC' } })).toMatchObject(claims)
})

test('rule 8: free operations and those of another protocol are no claims', () => {
  const { rows, skipped } = read({
    '/free': { get: { 'x-payment-info': { price: '0' } } },
    '/mpp': { get: { 'x-payment-info': { protocols: [{ mpp: {} }], amount: '1000000', currency: A } } },
    '/range': { get: { 'x-payment-info': { pricingMode: 'range', minPrice: '0', maxPrice: '5' } } },
  })
  expect(rows.map(({ endpoint, claims }) => [endpoint, claims.priceUsd])).toEqual([[`${ORIGIN}/range`, null]])
  expect(skipped).toEqual({ free: 1, other_protocol: 1 })
})

test('rule 8: samples are read from enum, example and examples', () => {
  const query = (more: object) => ({ name: 'q', in: 'query', ...more })
  const get = (...parameters: object[]) => ({ get: { responses: { 402: {} }, parameters } })
  const content = { 'application/json': { schema: {}, examples: { one: { value: { q: 'tea' } } } } }
  const { rows } = read({
    '/enum': get(query({ required: true, schema: { enum: ['base', 'solana'] } })),
    '/example': get(query({ example: 'tea' })),
    '/examples': get(query({ examples: { one: { value: 'tea' } } })),
    '/schema': get(query({ schema: { type: 'string', examples: ['tea'] } })),
    // The document does not state which optional parameters are needed.
    '/optional': get(query({ schema: { enum: ['base', 'solana'] } })),
    '/body': { post: { responses: { 402: {} }, requestBody: { content } } },
  })
  expect(rows.map(({ url, body, declaresInput }) => [url.slice(ORIGIN.length), body, declaresInput])).toEqual(
    [
      ['/enum?q=base', null, true],
      ['/example?q=tea', null, true],
      ['/examples?q=tea', null, true],
      ['/schema?q=tea', null, true],
      ['/optional', null, false],
      ['/body', '{"q":"tea"}', true],
    ],
  )
})

test('behavior: the operation that states its price is listed before others of its path, then the harmless one', () => {
  const { rows } = read({
    '/a': {
      delete: { 'x-payment-info': {} },
      post: { 'x-payment-info': {} },
      get: { responses: { 402: {} } },
    },
  })
  expect(rows.map(({ method }) => method)).toEqual(['POST', 'DELETE', 'GET'])
})
