import { expect, test } from 'vitest'
import { generateValues } from './generateValue.ts'
import { readOpenApi } from './openApi.ts'

const generate = (name: string, schema: Record<string, unknown>) =>
  generateValues(name, schema, { left: 5_000 })

test.each([
  ['flag', { type: 'boolean' }, ['true', 'false']],
  ['size', { type: 'integer' }, ['7']],
  ['size', { type: 'integer', minimum: 10, maximum: 20 }, ['15']],
  ['size', { type: 'number', minimum: 100 }, ['101']],
  ['size', { type: 'integer', maximum: 0 }, ['0']],
  ['day', { type: 'string', format: 'date' }, ['2026-01-15']],
  ['to', { type: 'string', format: 'email' }, ['user@example.com']],
  ['url', { type: 'string' }, ['https://example.com/']],
  ['site', { type: 'string', format: 'uri' }, ['https://example.com/']],
  ['ip', { type: 'string' }, ['192.0.2.24']],
  ['phone', { type: 'string' }, ['+12025550123']],
  ['q', { type: 'string' }, ['lorem ipsum']],
  ['q', { type: 'string', maxLength: 2 }, ['ab']],
  ['code', { type: 'string', pattern: '^[A-Z]{2}$' }, ['AB']],
])('default: a value of %s that fits %j is generated', (name, schema, values) => {
  expect(generate(name, schema)).toEqual(values)
})

test.each([
  ['of a list', { type: 'string', enum: ['a', 'b'] }],
  ['of a format that nobody knows', { type: 'string', format: 'ticker' }],
  ['of a pattern that is not checked', { type: 'string', pattern: '^(a+)+$' }],
  ['without a type', {}],
  ['that is no value of a query', { type: 'object' }],
  ['with a hostile type', { type: '__proto__', format: 'constructor' }],
  ['with a hostile format', { type: 'string', format: 'constructor' }],
])('behavior: nothing is generated for a value %s', (_name, schema) => {
  expect(generate('q', schema)).toEqual([])
})

const api = (method: string) => ({
  paths: {
    '/a': {
      [method]: {
        'x-payment-info': { price: '0.01' },
        parameters: [
          { name: 'q', in: 'query', required: true, schema: { type: 'string', example: 'cats' } },
          { name: 'site', in: 'query', schema: { type: 'string', format: 'uri' } },
        ],
      },
    },
  },
})

test('default: a document of the host gives generated values for its GET, one parameter each', () => {
  const [row] = readOpenApi('openapi', 'https://api.example', api('get')).rows
  expect(row).toMatchObject({
    url: 'https://api.example/a?q=cats',
    declaresInput: true,
    generated: [
      'https://api.example/a?q=lorem+ipsum',
      'https://api.example/a?q=cats&site=https%3A%2F%2Fexample.com%2F',
    ],
  })
})

test('behavior: other methods get none', () => {
  const [row] = readOpenApi('openapi', 'https://api.example', api('post')).rows
  expect(row?.generated).toBeUndefined()
})

test('behavior: score 1.3.0, rule 7: what a POST requires and the document does not give is a reserved name', () => {
  const schema = {
    type: 'object',
    required: ['to', 'site'],
    properties: { to: { type: 'string', format: 'email' }, site: { type: 'string', format: 'uri' } },
  }
  const operation = {
    'x-payment-info': { price: '0.01' },
    requestBody: { content: { 'application/json': { schema } } },
  }
  const [row] = readOpenApi('openapi', 'https://api.example', { paths: { '/a': { post: operation } } }).rows
  expect(row).toMatchObject({
    method: 'POST',
    body: '{"to":"user@example.com","site":"https://example.com/"}',
    declaresInput: false,
  })
})
