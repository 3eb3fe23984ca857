import { expect, test } from 'vitest'
import { createBazaarDirectory } from './createBazaarDirectory.ts'
import { start, v1Item, v2Item } from './testing/bazaar.ts'
import { cleanUpAfterEach, pageOf, readAll, serve } from './testing/harness.ts'
import { NO_PAUSES } from './testing/pace.ts'

cleanUpAfterEach()

test('behavior: waits for Retry-After, and retries after server errors', async () => {
  const at: number[] = []
  const url = await serve((_request, _url, response) => {
    at.push(performance.now())
    if (at.length === 1) {
      response.writeHead(429, { 'retry-after': '1' }).end()
      return undefined
    }
    if (at.length === 2) {
      response.writeHead(503).end()
      return undefined
    }
    return { items: [v1Item], pagination: { total: 1 } }
  })
  const { rows } = await readAll(start(url))
  expect(rows).toHaveLength(1)
  const [first = 0, second = 0, third = 0] = at
  expect(second - first).toBeGreaterThanOrEqual(990)
  expect(third - second).toBeLessThan(5_000)
})

test('behavior: fails instead of waiting long, and stops waiting when the caller aborts', async () => {
  let wait = '3600'
  const url = await serve(
    (_request, _url, response) => void response.writeHead(429, { 'retry-after': wait }).end(),
  )
  const startedAt = performance.now()
  await expect(readAll(start(url))).rejects.toThrow('it asks to wait 3600 s')
  wait = '20'
  const pages = start(url).pages(AbortSignal.timeout(100))[Symbol.asyncIterator]()
  await expect(pages.next()).rejects.toThrow('could not be read')
  expect(performance.now() - startedAt).toBeLessThan(10_000)
})

test('behavior: keeps the pages before a failure', async () => {
  const items = [v2Item, v1Item]
  const url = await serve((_request, asked, response) => {
    if (asked.searchParams.get('offset') === '1') {
      response.writeHead(404).end()
      return undefined
    }
    return { items: pageOf(items, asked, 1), pagination: { total: 2 } }
  })
  const rows: unknown[] = []
  const reading = (async () => {
    for await (const page of start(url).pages()) rows.push(...page.rows)
  })()
  await expect(reading).rejects.toThrow('could not be read: 404')
  expect(rows).toHaveLength(1)
})

test.each([
  ['a page that is not JSON', '<html>', /could not be read/],
  ['a page without a list', '{"items":{}}', /holds no list of items/],
  ['a page above the limit', `"${'x'.repeat(2_000)}"`, /above 1000 bytes/],
])('error: fails for %s', async (_name, body, message) => {
  const url = await serve(() => body)
  const pace = { ...NO_PAUSES, maxBytes: 1_000 }
  const directory = createBazaarDirectory({ name: 'b', url, contact: 'x', pace })
  await expect(readAll(directory)).rejects.toThrow(message)
})

test('error: fails when a directory hangs', async () => {
  const url = await serve((_request, _url, response) => void response.write('{'))
  const pace = { ...NO_PAUSES, timeoutMs: 100 }
  const directory = createBazaarDirectory({ name: 'b', url, contact: 'x', pace })
  await expect(readAll(directory)).rejects.toThrow('could not be read')
})
