import { expect, test } from 'vitest'
import { publishMapFiles } from '../store/documents.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { withReads } from '../store/testing/withFaults.ts'
import { startHttpApp } from './testing/startHttpApp.ts'

const FILES: Readonly<Record<string, string>> = { latest: 'header', '7': 'body', '5-7': 'diff' }
const asked: string[] = []

/** Serves the files, and notes which are read. */
async function start(): Promise<string> {
  const { latest = '', ...files } = FILES
  const store = createMemoryStore()
  const bytes = Object.entries(files).map(([name, text]) => [name, new TextEncoder().encode(text)] as const)
  await publishMapFiles(store, new Map(bytes), { latest, isKept: () => true })
  asked.length = 0
  return startHttpApp({
    store: withReads(store, 'map_file', (rows, { parameters }) => {
      asked.push(String(parameters[0]))
      return rows
    }),
  })
}

test('default: versions and diffs are cacheable for ever, the header for seconds', async () => {
  const origin = await start()
  for (const [name, type, control] of [
    ['latest', 'text/plain; charset=utf-8', 'public, max-age=30'],
    ['7', 'application/octet-stream', 'public, max-age=31536000, immutable'],
    ['5-7', 'application/octet-stream', 'public, max-age=31536000, immutable'],
  ] as const) {
    const response = await fetch(`${origin}/map/${name}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
    expect(response.headers.get('cache-control')).toBe(control)
    expect(await response.text()).toBe(FILES[name])
    const etag = response.headers.get('etag') ?? ''
    const again = await fetch(`${origin}/map/${name}`, { headers: { 'If-None-Match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  }
})

test('behavior: a reader who has a version costs no read of the file', async () => {
  const origin = await start()
  const response = await fetch(`${origin}/map/5-7`, { headers: { 'If-None-Match': '"5-7"' } })
  expect([response.status, asked]).toEqual([304, []])
})

test('behavior: HEAD has the headers of GET and no body', async () => {
  const origin = await start()
  const response = await fetch(`${origin}/map/7`, { method: 'HEAD' })
  expect([response.status, response.headers.get('content-length')]).toEqual([200, '4'])
  expect(await response.text()).toBe('')
})

test('error: unknown files are 404, and no other names reach the files', async () => {
  const origin = await start()
  for (const name of ['8', '..%2fkey', 'latest%00', '0', '07', '5-', '-7', '5-7-9', '1'.repeat(16)]) {
    const response = await fetch(`${origin}/map/${name}`)
    expect([name, response.status]).toEqual([name, 404])
    expect(response.headers.get('content-type')).toContain('application/problem+json')
  }
  expect(asked).toEqual(['8'])
})
