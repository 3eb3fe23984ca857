import { OPERATIONS } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { HTML, openPages } from '../testing/openPages.ts'
import { clientCall, curlCall } from './samples.ts'

const read = async (path: string) => (await fetch((await openPages([])) + path, HTML)).text()

test('default: every operation has a call by curl and one in TypeScript', async () => {
  const page = await read('/docs')
  for (const { path } of Object.values(OPERATIONS)) {
    expect(page).toContain(`aria-label="Call of ${path} by curl"`)
    expect(page).toContain(`aria-label="Call of ${path} in TypeScript"`)
  }
})

test('behavior: every link of the contents leads to a part of the page', async () => {
  const page = await read('/docs')
  const targets = [...page.matchAll(/href="#([\w-]+)"/g)].map(([, id]) => id)
  expect(targets).toEqual(expect.arrayContaining(['pay', 'errors', 'schemas', 'verify', 'dataFull']))
  for (const id of targets) expect(page).toContain(`id="${id}"`)
})

test('behavior: the page of a schema says what each field means', async () => {
  const page = await read('/docs/schemas/Verdict')
  expect(page).toContain('Time at which the verdict expires, 48 hours after the last successful measurement')
})

test('behavior: samples fill in what is required and write numbers as numbers', () => {
  const { trustDataset, verify, status } = OPERATIONS
  const url = 'https://trust.example'
  const sold = { id: 'trustDataset', ...trustDataset, priceUsd: 0.1 }
  expect(curlCall(sold, url)).toBe(`curl -i -G ${url}/trust/dataset \\\n  --data-urlencode 'limit=100'`)
  expect(clientCall(sold)).toBe('const answer = await touchstone.trustDataset({ limit: 100 })')
  expect(clientCall({ id: 'verify', ...verify })).toBe(
    "const answer = await touchstone.verify({ endpoint: 'https://api.example.com/weather' })",
  )
  expect(curlCall({ id: 'status', ...status }, url)).toBe(`curl ${url}/status.json`)
})
