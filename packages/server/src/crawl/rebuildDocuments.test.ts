import { expect, test } from 'vitest'
import { createMemoryStore } from '../adapters/store/memory/createMemoryStore.ts'
import { NOON } from '../adapters/store/testing/records.ts'
import { type RebuildProgress, rebuildDocuments } from './rebuildDocuments.ts'
import { endpointDocument } from './testing/endpointDocument.ts'

/** Creates a store of hosts whose documents are of these versions. */
async function setUp(versions: Readonly<Record<string, string>>) {
  const store = createMemoryStore()
  const put = async (host: string, scoreVersion: string) => {
    const { state, carried } = endpointDocument(host, NOON, NOON)
    await store.putEndpoint({ state: { ...state, scoreVersion }, carried: { ...carried, scoreVersion } })
  }
  for (const [host, version] of Object.entries(versions)) await put(host, version)
  const rebuilt: string[] = []
  const progress: RebuildProgress[] = []
  const deps = {
    store,
    scoreVersion: '2.0.0',
    clock: { now: () => NOON },
    async rebuild(endpoint: string) {
      rebuilt.push(endpoint)
      await put(new URL(endpoint).host, '2.0.0')
    },
    onProgress: (done: RebuildProgress) => progress.push(done),
  }
  return { deps, rebuilt, progress }
}
const urlOf = (host: string) => `https://${host}/a`

test('default: rebuilds documents of other versions once, in order of hosts', async () => {
  const { deps, rebuilt, progress } = await setUp({
    'c.example': '1.0.0',
    'a.example': '1.1.0',
    'b.example': '2.0.0',
  })
  await rebuildDocuments(deps, new AbortController().signal)
  expect(rebuilt).toEqual([urlOf('a.example'), urlOf('c.example')])
  expect(progress).toEqual([{ rebuilt: 2, failed: 0, host: null }])
  await rebuildDocuments(deps, new AbortController().signal)
  expect([rebuilt.length, progress.length]).toEqual([2, 1])
})

test('behavior: passes over more hosts than one page', async () => {
  const hosts = Array.from({ length: 450 }, (_, index) => `h${String(index).padStart(3, '0')}.example`)
  const { deps, rebuilt } = await setUp(
    Object.fromEntries(hosts.map((host, index) => [host, index === 449 ? '1.0.0' : '2.0.0'])),
  )
  await rebuildDocuments(deps, new AbortController().signal)
  expect(rebuilt).toEqual([urlOf('h449.example')])
})

test('behavior: stops with the signal, and goes on where it stopped', async () => {
  const { deps, rebuilt, progress } = await setUp({ 'a.example': '1.0.0', 'b.example': '1.0.0' })
  const ending = new AbortController()
  const rebuild = async (endpoint: string) => {
    await deps.rebuild(endpoint)
    ending.abort()
  }
  await rebuildDocuments({ ...deps, rebuild }, ending.signal)
  expect([rebuilt, progress]).toEqual([[urlOf('a.example')], []])
  await rebuildDocuments(deps, new AbortController().signal)
  expect(rebuilt).toEqual([urlOf('a.example'), urlOf('b.example')])
})

test('error: reports an endpoint that fails and goes on', async () => {
  const { deps, progress } = await setUp({ 'a.example': '1.0.0', 'b.example': '1.0.0' })
  const errors: string[] = []
  const rebuild = async (endpoint: string) => {
    if (endpoint === urlOf('a.example')) throw new Error('unreadable')
    await deps.rebuild(endpoint)
  }
  const onError = (endpoint: string, error: unknown) => errors.push(`${endpoint} ${error}`)
  await rebuildDocuments({ ...deps, rebuild, onError }, new AbortController().signal)
  expect(errors).toEqual([`${urlOf('a.example')} Error: unreadable`])
  expect(progress).toEqual([{ rebuilt: 1, failed: 1, host: null }])
})
