import { OPERATIONS } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { buildOpenApi } from '../../http/openapi.ts'
import { HTML, openPages } from '../testing/openPages.ts'
import { clientCall, clientSetup, curlCall } from './guide.tsx'

const read = async (path: string) => (await fetch((await openPages([])) + path, HTML)).text()

test('default: every operation has a call by curl and one in TypeScript', async () => {
  const page = await read('/docs')
  for (const { path } of Object.values(OPERATIONS)) {
    expect(page).toContain(`aria-label="Call of ${path} by curl"`)
    expect(page).toContain(`aria-label="Call of ${path} in TypeScript"`)
  }
})

test('behavior: samples fill in what is required and write numbers as numbers', () => {
  const { trustDataset, verify, status } = OPERATIONS
  const url = 'https://trust.example'
  const sold = { id: 'trustDataset', ...trustDataset, priceUsd: 0.1 }
  expect(curlCall(sold, url)).toBe(`curl -i '${url}/trust/dataset?limit=100'`)
  expect(clientCall(sold)).toBe('const answer = await touchstone.trustDataset({ limit: 100 })')
  expect(clientCall({ id: 'verify', ...verify })).toBe(
    "const answer = await touchstone.verify({ endpoint: 'https://api.example.com/weather' })",
  )
  expect(curlCall({ id: 'status', ...status }, url)).toBe(`curl '${url}/status.json'`)
})

test('behavior: the lines that create the client import every function that they call', () => {
  const setup = clientSetup('https://trust.example')
  const called = [...setup.matchAll(/(\w+)\(/g)].map(([, name]) => name)
  expect(called).toEqual(['privateKeyToAccount', 'createGuardedFetch', 'createTouchstoneClient'])
  const imported = [...setup.matchAll(/^import \{ (\w+) \} from '/gm)].map(([, name]) => name)
  expect(imported.toSorted()).toEqual(called.toSorted())
})

test('default: the reference lists every operation of the document once, and each has a page with its fields', async () => {
  const origin = await openPages([])
  const index = await (await fetch(`${origin}/docs/reference`, HTML)).text()
  const links = [...index.matchAll(/href="\/docs\/reference\/(\w+)"/g)].map(([, id = '']) => id)
  const { paths } = buildOpenApi() as { paths: Record<string, Record<string, { operationId: string }>> }
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId))
  expect(links.toSorted()).toEqual(ids.toSorted())
  for (const id of ids) {
    const answer = await fetch(`${origin}/docs/reference/${id}`, HTML)
    const html = await answer.text()
    expect([id, answer.status, html.length < 60_000]).toEqual([id, 200, true])
    const targets = [...html.matchAll(/href="#(schema-\w+)"/g)].map(([, target]) => target)
    for (const target of targets) expect(html, id).toContain(`id="${target}"`)
  }
  expect((await fetch(`${origin}/docs/reference/nothing`, HTML)).status).toBe(404)
})

test('behavior: the page of an operation shows its price, parameters, fields with their types, and an example', async () => {
  const page = (await read('/docs/reference/verify')).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
  for (const text of [
    'GET /verify',
    'free',
    'endpoint query, required',
    'riskLevel clean | low | medium | high | unknown',
    'priceUsd number or null',
    'list of Term',
  ])
    expect(page).toContain(text)
  expect(await read('/docs/reference/trust')).toContain('$0.005')
  expect(await read('/docs/reference/claimHost')).toContain('Fields that are sent')
})
