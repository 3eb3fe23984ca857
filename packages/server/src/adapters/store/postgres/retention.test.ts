import { expect, test } from 'vitest'
import { DAY } from '../../../domain/facts/times.ts'
import { anIncident, anObservation, NOON } from '../testing/records.ts'
import { usePostgresStores } from '../testing/usePostgresStores.ts'
import { listOf } from '../testing/useStore.ts'

const { open, sql } = usePostgresStores()

test('default: looks of a day are one partition, dropped past the retention with what they carry', async () => {
  let now = NOON
  const carried: string[] = []
  const store = await open({
    retentionDays: 5,
    now: () => now,
    carry: (before, looks) => {
      carried.push(...looks.map(({ id }) => id))
      const version = `${before?.scoreVersion ?? ''}${looks.map(({ id }) => id).join('')}`
      return { carried: { scoreVersion: version, lastAt: looks.at(-1)?.at ?? 0 }, days: [] }
    },
  })
  const endpoints = Array.from({ length: 150 }, (_, index) => `https://api.example/${index}`)
  for (let day = 0; day < 8; day++) {
    now = NOON + day * DAY
    await store.append(
      endpoints.flatMap((endpoint) => [
        anObservation({ id: `${day}a`, endpoint, at: now, httpStatus: day }),
        anObservation({ id: `${day}b`, endpoint, at: now + 1, httpStatus: day }),
      ]),
    )
  }
  const incident = anIncident({ endpoint: 'https://api.example/7', observations: ['1a', '7a'] })
  await store.append([{ kind: 'incident', id: 'f', at: NOON, incident }])
  const partitions = async () =>
    (
      await sql<{ name: string }>(
        `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'look'::regclass`,
      )
    ).length
  expect(await partitions()).toBe(9)
  const [one, other] = [await store.compact(), await store.compact()]
  expect([one.droppedDays, other.droppedDays]).toEqual([2, 0])
  expect(await partitions()).toBe(7)
  expect(await sql('SELECT count(*)::int AS n FROM look_other')).toEqual([{ n: 0 }])
  for (const endpoint of ['https://api.example/7', 'https://api.example/149']) {
    expect((await listOf(store.looks(endpoint))).map(({ id }) => id).slice(0, 2)).toEqual(['2a', '2b'])
    expect(await store.base(endpoint)).toEqual({ scoreVersion: '0a0b1a1b', lastAt: NOON + DAY + 1 })
  }
  expect(carried).toHaveLength(150 * 4)
  expect((await store.cited('https://api.example/7', ['1a', '1b', '7a'])).map(({ id }) => id)).toEqual([
    '1a',
    '7a',
  ])
  now += 3 * DAY
  await store.append([anObservation({ endpoint: endpoints[0] ?? '', at: now })])
  expect((await store.compact()).droppedDays).toBe(3)
  expect((await store.base('https://api.example/0'))?.scoreVersion).toBe('0a0b1a1b2a2b3a3b4a4b')
  expect(await sql('SELECT count(*)::int AS n FROM shape WHERE used_at < 0')).toEqual([{ n: 0 }])
})

test('behavior: looks that came before the partition of their day move into it, and odd times are kept', async () => {
  let now = NOON - 40 * DAY
  const store = await open({ now: () => now })
  const looks = [NOON - 500 * DAY, NOON, NOON + 1].map((at, index) => anObservation({ id: `o${index}`, at }))
  await store.append(looks)
  const count = () => sql('SELECT count(*)::int AS n FROM look_other')
  expect(await count()).toEqual([{ n: 3 }])
  now = NOON
  const last = anObservation({ id: 'o3', at: NOON + 2 })
  await store.append([last])
  expect(await count()).toEqual([{ n: 1 }])
  expect(await listOf(store.looks('https://api.example/a'))).toEqual([...looks, last])
})

test('behavior: returns many looks in pages, each once, also of equal times', async () => {
  const store = await open()
  const looks = Array.from({ length: 2_500 }, (_, index) =>
    anObservation({ id: `o${index}`, at: NOON + Math.floor(index / 900) }),
  )
  await store.append(looks)
  const ids = (await listOf(store.looks('https://api.example/a'))).map(({ id }) => id)
  expect(ids).toEqual(looks.map(({ id }) => id))
})
