import type { Change } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { readChanges, readIncidents } from '../store/feeds.ts'
import type { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { createSampleDeps } from './testing/createSampleDeps.ts'
import { HTML, openPages, samplesOf } from './testing/openPages.ts'
import { SAMPLE_NOW } from './testing/sampleServices.ts'

const MINUTE = 60_000

/** Serves the samples and `count` changes, two of each minute; every third is a receiver's. */
async function openFeed(count: number) {
  const deps = await createSampleDeps()
  const changes = Array.from({ length: count }, (_, index): Change => {
    const at = new Date(SAMPLE_NOW - Math.floor(index / 2) * MINUTE).toISOString()
    const kind = index % 3 === 0 ? 'payto_swap' : 'new_service'
    const id = `chg_many${`${index}`.padStart(4, '0')}`
    return {
      id,
      kind,
      host: 'many.example',
      endpoint: 'https://many.example/',
      at,
      before: null,
      after: null,
    }
  })
  // The pages read a store; the test writes the same one.
  const store = deps.store as ReturnType<typeof createMemoryStore>
  await store.write(
    'append',
    changes.map((change) => ({ kind: 'change' as const, id: change.id, at: SAMPLE_NOW, change })),
  )
  const origin = await openPages([], deps)
  const read = async (path: string) => (await fetch(origin + path, HTML)).text()
  return { origin, read, store }
}

const idsOf = (html: string) => [...html.matchAll(/<li id="([^"]+)"/g)].map(([, id]) => id)

/** Follows the links to older entries. */
async function readAll(read: (path: string) => Promise<string>, path: string) {
  const ids: (string | undefined)[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const html: string = await read(next)
    ids.push(...idsOf(html))
    next = /<a href="(\/feed[^"]*cursor=[^"]*)">Older/.exec(html)?.[1]?.replaceAll('&amp;', '&')
  }
  return ids
}

test('default: incidents and changes are one list, newest first, and its pages show each of them once', async () => {
  const { read, store } = await openFeed(130)
  const query = { since: 0, limit: 1000 }
  const incidents = (await readIncidents(store, query)).records.map(({ id }) => id)
  const changes = (await readChanges(store, query)).records.map(({ id }) => id)
  expect(incidents.length).toBeGreaterThan(1)
  expect(changes.length).toBeGreaterThan(130)
  const all = await readAll(read, '/feed')
  expect(all.toSorted()).toEqual([...incidents, ...changes].sort())
  const times = (await read('/feed')).matchAll(/<p class="meta">.*?<time dateTime="([^"]*)"/gs)
  const seen = [...times].map(([, time]) => time)
  expect(seen).toEqual(seen.toSorted().reverse())
  expect(await readAll(read, '/feed?kind=incidents')).toEqual(incidents)
  expect(await readAll(read, '/feed?kind=changes')).toEqual(changes)
})

test('behavior: incidents and changes are chosen by links; what is no kind is ignored', async () => {
  const { read } = await openFeed(1)
  const html = await read('/feed?kind=changes')
  expect(html).toContain('<a href="/feed?kind=incidents">Incidents</a>')
  expect(html).toContain('<a href="/feed?kind=changes" aria-current="true">Changes</a>')
  expect(idsOf(await read('/feed?kind=constructor&cursor=x'))).toEqual(idsOf(await read('/feed')))
})

test('behavior: the old lists lead here, with their kind', async () => {
  const origin = await openPages([])
  const follow = async (path: string) => {
    const { status, headers } = await fetch(origin + path, { ...HTML, redirect: 'manual' })
    return [status, headers.get('location')]
  }
  expect(await follow('/incidents?days=7')).toEqual([301, '/feed?kind=incidents'])
  expect(await follow('/changes?days=7&kind=payto_swap')).toEqual([301, '/feed?kind=changes'])
})

test('behavior: RSS lists incidents, changes, and both of one host', async () => {
  const origin = await openPages(samplesOf('llm.quickinfer.net'))
  const read = async (path: string) => (await fetch(origin + path)).text()
  expect(await read('/incidents.rss')).toContain('<title>Receiver changed: llm.quickinfer.net</title>')
  expect((await read('/changes.rss')).match(/<category>payto_swap<\/category>/g)).toHaveLength(2)
  const own = await read('/services/llm.quickinfer.net/feed.rss')
  expect(own).toContain('href="https://touchstone.example/services/llm.quickinfer.net/feed.rss" rel="self"')
  expect(own).toMatch(/\/incidents\/inc_.*<category>payto_swap</s)
})
