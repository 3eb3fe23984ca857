import { processorMs } from '@touchstone402/shared/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readBazaarInput, readV1Input } from './sampleInput.ts'
import { isUsable } from './usableSample.ts'

test.each([
  '0x...',
  'string',
  '<address>',
  'your-api-key',
  'your_wallet',
  'YOUR TOKEN',
  '',
  ' ',
  'integer parameter',
  '0xabc123',
  '1h|24h|7d',
  'YYYY-MM-DD',
  '{city}',
  'https://site.example/…',
  'The text',
  '0xYourAddress',
  'example',
  'Text prompt describing the image to generate',
  'URL to scrape',
  'The name of the city',
  'Chain (e.g. base)',
  'Max results (optional)',
  'Comma-separated list of ids',
])('behavior: %o stands for a value', (text) => expect(isUsable(text, {})).toBe(false))

test.each([
  'bitcoin',
  '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  '1600 Pennsylvania Avenue NW, Washington, DC 20500',
  'The capital of France is Paris',
  'https://example.com',
  'BTC,ETH',
  '2026-05',
  'entertainment',
  'mystery',
  '-1',
])('behavior: %o is a value', (text) => expect(isUsable(text, {})).toBe(true))

test.each([
  [5, { type: 'integer', minimum: 1, maximum: 9 }, true],
  [10, { type: 'integer', maximum: 9 }, false],
  ['5', { type: 'integer' }, false],
  ['string', { enum: ['string', 'number'] }, true],
  ['text', { enum: ['base'] }, false],
  ['base', { const: 'base' }, true],
  ['a@b.example', { format: 'email' }, true],
  ['Oslo', { format: 'email' }, false],
  ['Oslo', { type: ['string', 'null'], minLength: 5 }, false],
  ['Oslo', { anyOf: [{ type: 'null' }, { type: 'string' }] }, true],
  ['Oslo', { $ref: '#/components/schemas/City' }, false],
  ['Oslo', { description: 'Oslo' }, false],
  ['0xab', { pattern: '^0x[a-f0-9]{40}$' }, false],
  [`0x${'ab'.repeat(20)}`, { pattern: '^0x[a-f0-9]{40}$' }, true],
  [{ q: 'tea' }, { type: 'object', required: ['q', 'n'] }, false],
  [{ q: 'tea', n: 1 }, { required: ['q'], properties: { n: { type: 'string' } } }, false],
  [{ filters: { of: ['<name>'] } }, {}, false],
  [['a', 'b'], { items: { type: 'string' }, maxItems: 2 }, true],
])('behavior: %j in the schema %j is usable: %s', (value, schema, expected) => {
  expect(isUsable(value, schema)).toBe(expected)
})

test('behavior: a hostile pattern, schema or sample costs no time', () => {
  const took = processorMs(() => {
    const text = 'a'.repeat(10_000)
    for (const pattern of ['(a+)+$', '(a|a)*b', 'a*a*a*a*b', '(', 'a{1,9}a{1,9}a{1,9}b']) {
      expect(isUsable(text.slice(0, 200), { pattern })).toBe(false)
      expect(isUsable(text, { pattern })).toBe(false)
    }
    const numbers = Array.from({ length: 100_000 }, (_, index) => index)
    expect(isUsable(numbers, { items: { enum: [...numbers, 'x'].reverse() } })).toBe(false)
    const options = (depth: number): object =>
      depth === 0 ? { type: 'null' } : { anyOf: Array(9).fill(options(depth - 1)) }
    expect(isUsable(numbers.slice(0, 999), { items: options(4) })).toBe(false)
    expect(isUsable(`a@${'.'.repeat(100_000)} `, { format: 'email' })).toBe(false)
  })
  expect(took).toBeLessThan(500)
})

test('behavior: any value in any schema is answered', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.dictionary(
        fc.constantFrom('type', 'enum', 'items', 'anyOf', 'format', 'required', 'properties', 'pattern'),
        fc.jsonValue(),
      ),
      (value, schema) => {
        expect(typeof isUsable(value, schema)).toBe('boolean')
      },
    ),
  )
})

const withQuery = (queryParams: unknown, properties: unknown = {}) =>
  readBazaarInput({
    info: { input: { type: 'http', method: 'GET', queryParams } },
    schema: { properties: { input: { properties: { queryParams: { properties } } } } },
  })

test('behavior: a placeholder is no declared input, and what the schema gives is sent instead', () => {
  expect(withQuery({ chain: 'string' })).toMatchObject({ query: { chain: 'string' }, isDeclared: false })
  for (const schema of [
    { enum: ['base', 'polygon'] },
    { default: 'base' },
    { const: 'base' },
    { examples: ['<chain>', 'base'] },
    { type: 'string', default: 7, examples: ['base'] },
  ]) {
    expect(withQuery({ chain: 'string' }, { chain: schema })).toMatchObject({
      query: { chain: 'base' },
      isDeclared: true,
    })
  }
})

test('behavior: input that is not sent as declared is not declared', () => {
  expect(withQuery({ example: { year: 2025 } })?.isDeclared).toBe(false)
  expect(withQuery({ ids: [1, 2] })?.isDeclared).toBe(false)
  expect(withQuery({ year: 2025 })?.isDeclared).toBe(true)
})

test('behavior: reads a v1 schema in place of samples', () => {
  const query = {
    type: 'object',
    required: ['city'],
    properties: { city: { type: 'string', enum: ['Oslo'] }, days: { type: 'integer', default: 3 } },
  }
  expect(readV1Input({ outputSchema: { input: { type: 'http', method: 'GET', query } } })).toMatchObject({
    query: { city: 'Oslo', days: '3' },
    isDeclared: true,
  })
})
