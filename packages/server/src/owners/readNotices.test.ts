import { expect, test } from 'vitest'
import { HOUR, MINUTE, toTimestamp } from '../facts/times.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { aChange, anIncident, NOON } from '../store/testing/records.ts'
import { readNotices } from './readNotices.ts'
import type { FeedPosition } from './webhook.ts'

const webhook = {
  id: 'wh_1',
  host: 'api.example',
  url: 'https://hooks.example/',
  secret: 'whsec_',
  createdAt: NOON,
}

function open() {
  const store = createMemoryStore()
  let position: FeedPosition | null = null
  return {
    store,
    change: (id: string, at: number, host = webhook.host) =>
      store.write('append', [
        { kind: 'change', id: `f-${id}`, at, change: aChange({ id, host, at: toTimestamp(at) }) },
      ]),
    /** Reads on, and returns the ids of the records. */
    async read(now: number) {
      const read = await readNotices(store, webhook, position, now)
      position = read.position
      return { ...read, ids: read.notices.map(({ event }) => event.data.id) }
    },
  }
}

test('default: reads what is new of one host, once', async () => {
  const { change, read } = open()
  await change('before', NOON - 1)
  await change('a', NOON)
  await change('other', NOON, 'other.example')
  expect((await read(NOON)).ids).toEqual(['a'])
  expect((await read(NOON)).ids).toEqual([])
})

test('behavior: finds a record that is written up to an hour after its time, in whatever order', async () => {
  const { change, read } = open()
  await change('new', NOON + 2 * HOUR)
  expect((await read(NOON + 2 * HOUR)).ids).toEqual(['new'])
  await change('late', NOON + HOUR)
  await change('too late', NOON + HOUR - 1)
  await change('same time', NOON + 2 * HOUR)
  expect((await read(NOON + 2 * HOUR)).ids).toEqual(['late', 'same time'])
  await change('next', NOON + 5 * HOUR)
  expect((await read(NOON + 5 * HOUR)).ids).toEqual(['next'])
  expect((await read(NOON + 5 * HOUR)).ids).toEqual([])
})

test('behavior: keeps ids only as far back as it reads', async () => {
  const { change, read } = open()
  for (let minute = 0; minute < 180; minute += 2) await change(`c${minute}`, NOON + minute * MINUTE)
  const { position, ids } = await read(NOON + 3 * HOUR)
  expect(ids).toHaveLength(90)
  expect(position.seen).toHaveLength(31)
})

test('behavior: says how many records were too many', async () => {
  const { store, read } = open()
  await store.write(
    'append',
    Array.from({ length: 1_010 }, (_, index) => ({
      kind: 'change' as const,
      id: `f${index}`,
      at: NOON + index,
      change: aChange({ id: `c${index}`, at: toTimestamp(NOON + index) }),
    })),
  )
  const first = await read(NOON + MINUTE)
  expect([first.missed, first.hasMore, first.ids.length, first.ids[0]]).toEqual([10, true, 100, 'c10'])
})

test('behavior: tells many open incidents in turns, and none twice', async () => {
  const { store, read } = open()
  await store.write(
    'append',
    Array.from({ length: 150 }, (_, index) => ({
      kind: 'incident' as const,
      id: `f${index}`,
      at: NOON + index,
      incident: anIncident({ id: `i${index}`, detectedAt: toTimestamp(NOON + index) }),
    })),
  )
  const [first, second, third] = [await read(NOON + HOUR), await read(NOON + HOUR), await read(NOON + HOUR)]
  expect([first.ids.length, second.ids.length, third.ids.length]).toEqual([100, 50, 0])
  expect(new Set([...first.ids, ...second.ids]).size).toBe(150)
  const [notice] = first.notices
  expect(notice?.event).toMatchObject({ type: 'incident.opened', timestamp: toTimestamp(NOON) })
})
