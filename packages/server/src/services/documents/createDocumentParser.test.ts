import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterEach, describe, expect, test } from 'vitest'
import { makePackument } from '../../mcp/testing/registry.ts'
import { DOCUMENTS_THREAD } from '../threads.ts'
import {
  createDocumentParser,
  type DocumentParser,
  type DocumentThreadOptions,
} from './createDocumentParser.ts'
import { PARSERS } from './parsers.ts'

// Worker threads run the built script.
const BUILT = new URL('../../../dist/documentsThread.js', import.meta.url)
const ORIGIN = 'https://api.shop.example'

let parser: DocumentParser | undefined
afterEach(() => parser?.close())

/** Starts a parser in a thread, and collects why its thread ended. */
function start(options: Partial<DocumentThreadOptions> = {}) {
  const errors: unknown[] = []
  parser = createDocumentParser({
    ...DOCUMENTS_THREAD,
    script: BUILT,
    onError: (error) => errors.push(error),
    ...options,
  })
  return { parser, errors }
}

const textsOf = (openApi: unknown, wellKnown: unknown = null) => ({
  directory: 'host',
  origin: ORIGIN,
  openApi: JSON.stringify(openApi),
  wellKnown: JSON.stringify(wellKnown),
})
const SMALL = textsOf(
  { paths: { '/a': { get: { 'x-payment-info': { price: '$0.01' } } } } },
  { resources: ['/b'] },
)

/** An OpenAPI document of nearly 2 MB, whose operations share a schema of many fields. */
function makeLarge() {
  const properties = Object.fromEntries(
    Array.from({ length: 12_000 }, (_, index) => [`field-${index}`, { type: 'string', example: 'tea' }]),
  )
  const parameter = { name: 'q', in: 'query', required: true, schema: { type: 'object', properties } }
  const operation = {
    'x-payment-info': { price: '$0.01' },
    parameters: [{ $ref: '#/p' }],
    requestBody: { content: { 'application/json': { schema: { $ref: '#/p/schema' } } } },
    description: 'x'.repeat(1100),
  }
  const paths = Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [`/${index}`, { post: operation }]),
  )
  return { p: parameter, paths }
}

describe('createDocumentParser', () => {
  test('default: returns what parsing in this thread returns', async () => {
    const { parser, errors } = start()
    const text = { name: 'server', listedVersion: null, text: JSON.stringify(makePackument('server')) }
    expect(await parser.hostPage(SMALL)).toEqual(PARSERS.hostPage(SMALL))
    expect(await parser.hostPage(SMALL)).toMatchObject({ rows: [{}, {}] })
    expect(await parser.packument(text)).toEqual(PARSERS.packument(text))
    expect(errors).toEqual([])
  })

  test('behavior: a document that exhausts the memory of the thread is unreadable, and the next one is read', async () => {
    const { parser, errors } = start({ heapMb: 32 })
    const texts = { ...SMALL, wellKnown: `[${'[],'.repeat(1_000_000)}0]` }
    expect(await parser.hostPage(texts)).toBe('unreadable')
    expect(errors).toMatchObject([{ code: 'ERR_WORKER_OUT_OF_MEMORY' }])
    expect(await parser.hostPage(SMALL)).toMatchObject({ rows: [{}, {}] })
  })

  test('behavior: a document is unreadable for its own costs only, not because this machine had no time', async () => {
    const { parser: strict, errors } = start({ limits: { processorMs: 1, waitMs: 60_000 } })
    const texts = textsOf(makeLarge())
    expect(await strict.hostPage(texts)).toBe('unreadable')
    await strict.close()
    const { parser: late } = start({ limits: { processorMs: 3000, waitMs: 1 } })
    expect(await late.hostPage(texts)).toBe('own_fault')
    await late.close()
    expect(await late.hostPage(SMALL)).toBe('own_fault')
    expect(errors).toHaveLength(1)
  })

  test.each([
    ['no JSON', '<html>'],
    ['deep nesting', '['.repeat(1_000_000)],
    ['deep objects', `${'{"paths":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['a lone surrogate', '"\\ud800"'],
  ])('error: %s holds no endpoints', async (_name, openApi) => {
    const { parser, errors } = start()
    expect(await parser.hostPage({ ...SMALL, openApi })).toMatchObject({ rows: [{ url: `${ORIGIN}/b` }] })
    expect(errors).toEqual([])
  })

  test('behavior: a document of 2 MB holds up this thread for less than a tenth of its parsing', async () => {
    const { parser } = start()
    const texts = textsOf(makeLarge())
    expect(texts.openApi.length).toBeGreaterThan(1.6e6)
    expect(texts.openApi.length).toBeLessThan(2 * 1024 * 1024)
    const startedAt = performance.now()
    PARSERS.hostPage(texts)
    const hereMs = performance.now() - startedAt
    await parser.hostPage(SMALL)
    const limitMs = Math.max(hereMs / 10, 50)
    // Other processes can only add to a delay, so one short one is enough.
    let shortestMs = Number.POSITIVE_INFINITY
    for (let time = 0; time < 5 && shortestMs >= limitMs; time++) {
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      const page = await parser.hostPage(texts)
      delay.disable()
      expect(page === 'unreadable' || page === 'own_fault' ? page : page.rows.length).toBe(1000)
      shortestMs = Math.min(shortestMs, delay.max / 1e6)
    }
    expect(shortestMs).toBeLessThan(limitMs)
  })
})
