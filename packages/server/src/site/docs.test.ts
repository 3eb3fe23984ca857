import { OPERATIONS } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { clientCall, curlCall } from './docs.tsx'
import { HTML, openPages } from './testing/openPages.ts'

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

test('default: the reference loads its script and the document from here, under a policy of its own', async () => {
  const origin = await openPages([])
  const page = await fetch(`${origin}/docs/reference`)
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/unsafe-eval|https?:/)
  const text = await page.text()
  expect(text).toContain('spec-url="/openapi.json"')
  expect(text).toMatch(/<noscript>/)
  const [, script = ''] = /<script src="([^"]+)"/.exec(text) ?? []
  const bundle = await fetch(origin + script)
  expect([bundle.status, bundle.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  expect(await bundle.text()).not.toMatch(/cdn\.redoc\.ly|fonts\.googleapis/)
  expect((await fetch(`${origin}/docs`, HTML)).headers.get('content-security-policy')).not.toBe(policy)
})
