import { canonicalizeUrl } from '@touchstone402/shared'
import { processorMs } from '@touchstone402/shared/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NO_CLAIMS } from '../facts/facts.ts'
import { readWellKnown } from './hostDocuments.ts'
import { readOpenApi } from './openApi.ts'
import { readBazaarInput, readV1Input } from './sampleInput.ts'
import { toRow } from './toRow.ts'

const ORIGIN = 'https://a.example'
const rest = {
  directory: 'd',
  title: null,
  category: null,
  claims: NO_CLAIMS,
  claimedAt: null,
  ownClaim: false,
}
const names = fc.constantFrom('city', 'q', 'constructor', '__proto__', 'toString', '..', 'a/b', '')
const fields = fc.dictionary(names, fc.jsonValue())
const input = fc.record(
  {
    type: fc.constantFrom('http', 'mcp', 7),
    method: fc.constantFrom('GET', 'post', 'TRACE', null),
    bodyType: fc.constantFrom<unknown>('json', 'text', {}, { toString: 1, valueOf: 1 }),
    queryParams: fc.oneof(fields, fc.jsonValue()),
    pathParams: fc.oneof(fields, fc.jsonValue()),
    body: fc.oneof(fields, fc.jsonValue()),
  },
  { requiredKeys: [] },
)
const schema = fc.oneof(
  fc.jsonValue(),
  fc.record({
    properties: fc.record({ input: fc.record({ properties: fc.dictionary(names, fc.jsonValue()) }) }),
  }),
)

test('behavior: sample input never changes the origin or the number of path segments', () => {
  const urls = fc.constantFrom(`${ORIGIN}/x?y=1`, `${ORIGIN}/{city}/:q`, `${ORIGIN}/:city`, `${ORIGIN}/a%2Fb`)
  fc.assert(
    fc.property(urls, input, schema, (listedUrl, declared, itsSchema) => {
      for (const sample of [
        readBazaarInput({ info: { input: declared }, schema: itsSchema }),
        readV1Input({ outputSchema: { input: declared } }),
      ]) {
        const row = toRow({ ...rest, listedUrl, method: null, input: sample })
        const asked = canonicalizeUrl(row.url)
        expect(row.endpoint).toBe(canonicalizeUrl(listedUrl).key)
        expect(asked.origin).toBe(ORIGIN)
        expect(asked.path.split('/').length).toBe(canonicalizeUrl(listedUrl).path.split('/').length)
        expect(row.body === null || typeof JSON.parse(row.body) === 'object').toBe(true)
      }
    }),
    { examples: [[`${ORIGIN}/:city`, { pathParams: { city: [{ toString: false }, 7] } }, {}]] },
  )
})

const anyUrl = fc.oneof(
  fc.constantFrom(
    ORIGIN,
    `${ORIGIN}/v1/`,
    'https://b.example/x',
    '//b.example',
    '/v2',
    'http://a.example:81/',
    'data:,x',
  ),
  fc.string(),
)

test('behavior: a document lists endpoints of its own host only', () => {
  const entry = fc.oneof(
    fc.jsonValue(),
    fc.record({
      url: fc.oneof(anyUrl, fc.record({ url: anyUrl })),
      accepts: fc.jsonValue(),
      extensions: fc.jsonValue(),
    }),
  )
  const service = fc.record(
    { url: anyUrl, baseUrl: anyUrl, endpoints: fc.array(fc.oneof(anyUrl, entry), { maxLength: 3 }) },
    { requiredKeys: [] },
  )
  const entries = fc.array(fc.oneof(entry, anyUrl, service), { maxLength: 4 })
  const lists = fc.record({ resources: entries, endpoints: entries, services: entries }, { requiredKeys: [] })
  const wellKnown = fc.oneof(fc.jsonValue(), entries, lists, fc.record({ x402: lists }))
  const operation = fc.record({
    responses: fc.constant({ '402': {} }),
    parameters: fc.jsonValue(),
    requestBody: fc.jsonValue(),
  })
  const openApi = fc.oneof(
    fc.jsonValue(),
    fc.record({
      servers: fc.array(fc.record({ url: anyUrl })),
      paths: fc.dictionary(fc.string(), fc.record({ get: operation, post: operation }), { maxKeys: 3 }),
    }),
  )
  fc.assert(
    fc.property(wellKnown, openApi, (first, second) => {
      const rows = [...readWellKnown('d', ORIGIN, first).rows, ...readOpenApi('d', ORIGIN, second).rows]
      return rows.every(
        ({ host, endpoint, url }) =>
          host === 'a.example' && [endpoint, url].every((one) => one.startsWith(`${ORIGIN}/`)),
      )
    }),
  )
})

const many = (count: number, value: unknown) => Array.from({ length: count }, () => value)
const fat = (count: number, value: unknown) =>
  Object.fromEntries(many(count, value).map((one, index) => [index.toString(36), one]))
const text = 'a'.repeat(999)

test.each([
  ['examples that do not fit', { type: 'array', examples: many(50, [...many(1200, 1), '']) }],
  ['long texts', { type: 'array', examples: many(10, [...many(10, text), '']) }],
  ['fields to invent', { required: ['a'], properties: { a: { items: { properties: fat(9_000, {}) } } } }],
  ['choices of schemas', { anyOf: many(9_000, { type: 'null' }), examples: many(50, many(50, 1)) }],
  ['many fields', fat(18_000, 1)],
])('behavior: a document whose operations share %s is read in a second', (_, schema) => {
  const parameter = { name: 'a', in: 'query', required: true, schema }
  const operation = {
    'x-payment-info': {},
    parameters: [{ $ref: '#/p' }],
    requestBody: { content: { 'application/json': { schema: { $ref: '#/p/schema' } } } },
    responses: { 200: { $ref: '#/p' } },
  }
  const paths = Object.fromEntries(many(1000, 0).map((_, index) => [`/${index}`, { get: operation }]))
  const took = processorMs(() => {
    expect(readOpenApi('d', ORIGIN, { p: parameter, paths }).rows).toHaveLength(1000)
  })
  expect(took).toBeLessThan(1000)
})
