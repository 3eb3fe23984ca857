import type { Change } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { DAY, HOUR, toTimestamp } from '../../facts/times.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { aChange, anIncident, NOON } from '../../store/testing/records.ts'
import { createSampleDeps } from '../testing/createSampleDeps.ts'
import { HTML, openPages } from '../testing/openPages.ts'
import { SAMPLE_NOW } from '../testing/sampleServices.ts'
import { findLargest, readWeek } from './week.ts'

let ids = 0
/** Creates a change at a host, a number of hours before noon. */
function changeOf(host: string, kind: Change['kind'], hoursAgo: number, more: Partial<Change> = {}): Change {
  const endpoint = `https://${host}/${++ids}`
  return aChange({ id: `c${ids}`, host, endpoint, kind, at: toTimestamp(NOON - hoursAgo * HOUR), ...more })
}

const hostsOf = (changes: readonly Change[], incidents: Parameters<typeof findLargest>[1] = []) =>
  findLargest(changes, incidents).map(({ host }) => host)

test('default: receivers come before prices, the largest jump first, and these before what went dark', () => {
  const changes = [
    changeOf('dark.example', 'service_gone_dark', 1),
    changeOf('new.example', 'new_service', 2),
    changeOf('small.example', 'price_jump', 3, { pct: 25 }),
    changeOf('large.example', 'price_jump', 4, { pct: 400 }),
    changeOf('swapped.example', 'payto_swap', 5),
  ]
  expect(hostsOf(changes)).toEqual(['swapped.example', 'large.example', 'small.example', 'dark.example'])
})

test('behavior: an event at several endpoints, or with an incident, is one row', () => {
  const swaps = [changeOf('a.example', 'payto_swap', 1), changeOf('a.example', 'payto_swap', 2)]
  const [first] = swaps
  const incident = anIncident({
    host: 'a.example',
    endpoint: first?.endpoint ?? '',
    detectedAt: first?.at ?? '',
  })
  const [event, ...others] = findLargest(swaps, [incident])
  expect(others).toEqual([])
  expect(event).toMatchObject({ endpoints: 2, incident: { id: incident.id }, at: first?.at })
})

test('behavior: at most five rows, and none for what recovered since', () => {
  const many = Array.from({ length: 9 }, (_, index) => changeOf(`h${index}.example`, 'payto_swap', index))
  expect(hostsOf(many)).toHaveLength(5)
  const dark = changeOf('back.example', 'service_gone_dark', 5)
  const recovered = { ...changeOf('back.example', 'service_recovered', 2), endpoint: dark.endpoint }
  expect(hostsOf([recovered, dark])).toEqual([])
  expect(hostsOf([dark, { ...recovered, at: toTimestamp(NOON - 9 * HOUR) }])).toEqual(['back.example'])
})

test('default: reads the last seven days', async () => {
  const store = createMemoryStore()
  const changes = [changeOf('a.example', 'payto_swap', 24 * 6), changeOf('b.example', 'payto_swap', 24 * 8)]
  await store.write(
    'append',
    changes.map((change) => ({ kind: 'change' as const, id: change.id, at: NOON, change })),
  )
  expect((await readWeek(store, NOON)).map(({ host }) => host)).toEqual(['a.example'])
  expect((await readWeek(store, NOON + 7 * DAY)).map(({ host }) => host)).toEqual([])
})

test('default: a row has the host, what happened with both values, and the date', async () => {
  const deps = await createSampleDeps([])
  const host = 'bait.example'
  const change = changeOf(host, 'price_jump', 0, {
    before: '0.01',
    after: '0.05',
    pct: 400,
    at: toTimestamp(SAMPLE_NOW - DAY),
  })
  await deps.store.write('append', [{ kind: 'change', id: change.id, at: SAMPLE_NOW, change }])
  const html = await (await fetch(await openPages([], deps), HTML)).text()
  const [list = ''] = /<ul class="week">.*?<\/ul>/s.exec(html) ?? []
  const text = list.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
  expect(text).toContain('bait.example Price increased $0.01 → $0.05 (+400%) 2026-11-20')
  expect(list).toContain('href="/services/bait.example"')
})

test('behavior: a row has the mark that its event has in the feed, and says that an incident is resolved', async () => {
  const deps = await createSampleDeps([])
  const detectedAt = toTimestamp(SAMPLE_NOW - DAY)
  const incidents = [
    anIncident({ id: 'i1', host: 'bait.example', kind: 'bait_and_switch', detectedAt }),
    anIncident({ id: 'i2', host: 'mended.example', status: 'resolved', detectedAt, resolvedAt: detectedAt }),
    anIncident({ id: 'i3', host: 'mild.example', kind: 'unverified_receiver', severity: 'warn', detectedAt }),
  ]
  await deps.store.write(
    'append',
    incidents.map((incident) => ({ kind: 'incident', id: incident.id, at: SAMPLE_NOW, incident })),
  )
  const origin = await openPages([], deps)
  const rowOf = async (path: string, host: string) => {
    const html = await (await fetch(origin + path, HTML)).text()
    const [list = ''] = /<ul class="(?:week|feed)">.*?<\/ul>/s.exec(html) ?? []
    const row = list.split('<li').find((part) => part.includes(host)) ?? ''
    return [/#m-(\w+)/.exec(row)?.[1], row.includes(', resolved')]
  }
  for (const [host, mark, isResolved] of [
    ['bait.example', 'avoid', false],
    ['mended.example', 'info', true],
    ['mild.example', 'caution', false],
  ] as const) {
    expect([host, await rowOf('/', host)]).toEqual([host, [mark, isResolved]])
    expect([host, await rowOf('/feed', host)]).toEqual([host, [mark, isResolved]])
  }
})
