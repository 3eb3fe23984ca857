import type { LookupFunction } from 'node:net'
import { expect, test } from 'vitest'
import { isDeclaredByHost } from '../facts/facts.ts'
import { createProber } from '../probe/createProber.ts'
import { createHostDirectory } from './createHostDirectory.ts'
import { createHostDocuments, type FetchDocument } from './createHostDocuments.ts'
import { readHostPage } from './hostPage.ts'
import { cleanUpAfterEach, readAll, serve } from './testing/harness.ts'

cleanUpAfterEach()

const ORIGIN = 'https://api.shop.example'
const NOW = Date.UTC(2026, 10, 1)

/** Creates the directory of hosts whose documents are fetched this way. */
function start(origins: readonly string[], fetchDocument: FetchDocument) {
  const documents = createHostDocuments({ parse: async (texts) => readHostPage(texts), now: () => NOW })
  const readHost = async (origin: string) => (await documents.read(origin, fetchDocument)).page
  return createHostDirectory({ origins: () => origins, readHost })
}

/** Reads hosts with these documents, keyed by URL. */
async function read(documents: Record<string, unknown>, origins: readonly string[] = [ORIGIN]) {
  const directory = start(origins, async (url) => {
    const document = documents[url]
    if (document === undefined) return null
    return typeof document === 'string' ? document : JSON.stringify(document)
  })
  return readAll(directory)
}

test('default', async () => {
  const { rows } = await read({
    [`${ORIGIN}/.well-known/x402`]: {
      version: 1,
      resources: [`${ORIGIN}/a?x=1`, 'POST /b', { path: '/c', method: 'put', description: 'C' }],
      ownershipProofs: ['0x00'],
    },
  })
  expect(rows.map(({ url, method, title }) => [url, method, title])).toEqual([
    [`${ORIGIN}/c`, 'PUT', 'C'],
    [`${ORIGIN}/a?x=1`, null, null],
    [`${ORIGIN}/b`, 'POST', null],
  ])
  expect(rows.every(({ directory }) => directory === 'host') && rows.every(isDeclaredByHost)).toBe(true)
})

test('behavior: reads terms directly in an entry', async () => {
  const { rows } = await read({
    [`${ORIGIN}/.well-known/x402`]: {
      resources: [
        {
          url: `${ORIGIN}/q`,
          method: 'GET',
          network: 'base',
          asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
          maxAmountRequired: '5000',
          payTo: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        },
      ],
    },
  })
  expect(rows[0]?.claims).toMatchObject({
    network: 'eip155:8453',
    priceUsd: 0.005,
    payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  })
})

test('behavior: reads paid operations of an OpenAPI document, with sample input', async () => {
  const { rows } = await read({
    [`${ORIGIN}/.well-known/x402`]: { resources: [`${ORIGIN}/v1/weather/{city}`, `${ORIGIN}/v1/extra`] },
    [`${ORIGIN}/openapi.json`]: {
      openapi: '3.1.0',
      servers: [{ url: 'https://elsewhere.example' }, { url: '/v1' }],
      paths: {
        '/free': { get: { responses: { '200': {} } } },
        '/weather/{city}': {
          parameters: [
            { name: 'city', in: 'path', required: true, schema: { type: 'string', example: 'Oslo' } },
          ],
          get: {
            summary: 'Weather',
            tags: ['weather'],
            'x-payment-info': { price: { mode: 'fixed', currency: 'USD', amount: '0.050000' } },
            parameters: [
              { name: 'unit', in: 'query', required: true, schema: { enum: ['c', 'f'] } },
              { name: 'days', in: 'query', schema: { type: 'integer' } },
            ],
          },
        },
        '/analyze': {
          post: {
            responses: { '200': { $ref: '#/components/responses/Out' }, '402': {} },
            requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/In' } } } },
          },
        },
      },
      components: {
        responses: { Out: { content: { 'application/json': { schema: { type: 'object' } } } } },
        schemas: { In: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } } },
      },
    },
  })
  expect(rows.map(({ url, method, body, declaresInput }) => [url, method, body, declaresInput])).toEqual([
    [`${ORIGIN}/v1/weather/Oslo?unit=c`, 'GET', null, true],
    [`${ORIGIN}/v1/analyze`, 'POST', '{"text":"test"}', false],
    [`${ORIGIN}/v1/extra`, null, null, false],
  ])
  expect(rows.map(({ declaresOutput }) => declaresOutput)).toEqual([false, true, false])
  expect(rows[0]).toMatchObject({ title: 'Weather', category: 'weather', claims: { priceUsd: 0.05 } })
})

test.each([
  ['a list', [`${ORIGIN}/a`, { resource: { url: '/b' } }]],
  ['endpoints', { endpoints: [{ path: '/a', method: 'GET' }, 'POST /b'] }],
  ['services', { services: [{ name: 'A', endpoint: `${ORIGIN}/a` }, { url: '/b' }] }],
  ['lists of services', { services: [{ url: `${ORIGIN}/`, endpoints: ['/a', { path: '/b' }] }] }],
  ['a wrapped list', { x402: { version: '1.0', resources: ['/a', { path: '/b' }] } }],
  ['texts beside objects', { resources: ['/a', '/b'], endpoints: [{ path: '/b' }, { path: '/a' }] }],
])('behavior: reads a document of %s', async (_name, document) => {
  const { rows, skipped } = await read({ [`${ORIGIN}/.well-known/x402`]: document })
  expect(rows.map(({ url }) => url).sort()).toEqual([`${ORIGIN}/a`, `${ORIGIN}/b`])
  expect(skipped).toEqual({})
})

test('behavior: an object takes precedence over the text of the same endpoint', async () => {
  const { rows } = await read({
    [`${ORIGIN}/.well-known/x402`]: { resources: ['/a'], services: [{ resource: '/a', method: 'POST' }] },
  })
  expect(rows.map(({ url, method }) => [url, method])).toEqual([[`${ORIGIN}/a`, 'POST']])
})

test('behavior: skips entries without offers and entries of other protocols', async () => {
  const { rows, skipped } = await read({
    [`${ORIGIN}/.well-known/x402`]: {
      resources: [
        { path: '/a', accepts: [] },
        { path: '/b', protocol: 'L402' },
        { path: '/c', protocols: ['L402', 'x402'] },
        { path: '/d', protocol: 'https' },
      ],
    },
  })
  expect(rows.map(({ url }) => url)).toEqual([`${ORIGIN}/c`, `${ORIGIN}/d`])
  expect(skipped).toEqual({ no_offers: 1, other_protocol: 1 })
})

test('behavior: skips entries of other hosts', async () => {
  const { rows, skipped } = await read({
    [`${ORIGIN}/.well-known/x402`]: {
      resources: [
        'https://other.example/x',
        '//other.example/y',
        '/mine',
        'data:,x',
        'http://%',
        5,
        null,
        {},
      ],
    },
  })
  expect(rows.map(({ host }) => host)).toEqual(['api.shop.example'])
  expect(skipped).toEqual({ other_host: 2, not_http: 1, url_invalid: 1, malformed: 3 })
})

test('behavior: missing, broken, cyclic and oversized documents do not affect other hosts', async () => {
  const loop = { $ref: '#/components/loop' }
  const { rows, skipped, pages } = await read(
    {
      'https://broken.example/openapi.json': '<html>',
      'https://loop.example/openapi.json': {
        paths: { '/x': { get: { responses: { '402': {} }, requestBody: loop, parameters: [loop, null] } } },
        components: { loop },
      },
      'https://many.example/.well-known/x402': {
        resources: Array.from({ length: 5_000 }, (_, n) => `/p${n}`),
      },
    },
    ['silent', 'broken', 'loop', 'many'].map((name) => `https://${name}.example`),
  )
  expect([rows.length, skipped, pages]).toEqual([1_001, { over_limit: 4_000 }, 1])
})

test('behavior: reads documents under the address guard, 16 hosts per page', async () => {
  const asked: string[] = []
  const url = await serve((request, at, response) => {
    asked.push(`${request.headers.host?.split(':')[0]}${at.pathname}`)
    if (at.pathname === '/.well-known/x402') return { resources: ['/paid'] }
    response.writeHead(404).end()
    return undefined
  })
  const { port } = new URL(url)
  const lookup: LookupFunction = (name, _options, answer) => {
    answer(null, [{ address: name.startsWith('private') ? '127.0.0.2' : '127.0.0.1', family: 4 }])
  }
  const prober = createProber({ contact: 'x', lookup, allowPrivate: [`127.0.0.1:${port}`], ca: [] })
  const hosts = [...Array.from({ length: 20 }, (_, index) => `h${index}.test`), 'private.test']
  const directory = start(
    hosts.map((host) => `http://${host}:${port}`),
    (url) => prober.document(url),
  )
  const { rows, pages } = await readAll(directory)
  await prober.close()
  expect([rows.length, pages, new Set(asked).size]).toEqual([20, 2, 40])
  expect(asked.filter((one) => one.startsWith('private'))).toEqual([])
})

test('behavior: examples that do not fit their own schema do not count as declared', async () => {
  const query = (...fields: [name: string, example: unknown, schema: unknown][]) => ({
    responses: { '402': {} },
    parameters: fields.map(([name, example, schema]) => ({ name, in: 'query', example, schema })),
  })
  const body = (example: unknown) => ({
    responses: { '402': {} },
    requestBody: {
      content: {
        'application/json': {
          example,
          schema: { required: ['n'], properties: { n: { type: 'integer' }, q: { type: 'string' } } },
        },
      },
    },
  })
  const { rows } = await read({
    [`${ORIGIN}/openapi.json`]: {
      paths: {
        '/fits': { get: query(['city', 'Oslo', { type: 'string' }], ['days', 3, { maximum: 7 }]), post: {} },
        '/placeholder': { get: query(['city', 'string', { type: 'string' }]) },
        '/range': { get: query(['days', 30, { type: 'integer', maximum: 7 }]) },
        '/default': { get: query(['days', 30, { type: 'integer', maximum: 7, default: 5 }]) },
        '/body': { post: body({ n: 1, q: 'tea' }) },
        '/text': { post: body({ n: '1' }) },
        '/missing': { post: body({ q: 'tea' }) },
      },
    },
  })
  expect(rows.map(({ url, declaresInput }) => [url.slice(ORIGIN.length), declaresInput])).toEqual([
    ['/fits?city=Oslo&days=3', true],
    ['/placeholder?city=string', false],
    ['/range?days=30', false],
    ['/default?days=5', true],
    ['/body', true],
    ['/text', false],
    ['/missing', false],
  ])
})
