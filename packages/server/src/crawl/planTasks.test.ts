import { expect, test } from 'vitest'
import { createMemoryStore } from '../adapters/store/memory/createMemoryStore.ts'
import { aListing, NOON } from '../adapters/store/testing/records.ts'
import type { CrawlTask } from '../ports/crawlQueue.ts'
import { MOST_WAITING, TAKE, TAKE_AGAIN_MS } from './dueTaker.ts'
import { createPlanner } from './planTasks.ts'
import { MOST_PER_HOST } from './takenHosts.ts'

async function setUp(hosts: readonly string[], perHost: number) {
  const time = { now: NOON }
  const clock = { now: () => time.now }
  const store = createMemoryStore(clock)
  const listings = hosts.flatMap((host) =>
    Array.from({ length: perHost }, (_, index) =>
      aListing({ id: `${host} ${index}`, host, endpoint: `https://${host}/${index}` }),
    ),
  )
  await store.append(listings)
  const offers: CrawlTask[] = []
  const waiting = new Map<string, number>()
  const queue = {
    async offer(tasks: readonly CrawlTask[]) {
      offers.push(...tasks)
      for (const { host, endpoints } of tasks) waiting.set(host, (waiting.get(host) ?? 0) + endpoints.length)
    },
    waiting: async () => waiting,
  }
  return { time, store, offers, waiting, planner: createPlanner({ store, queue, clock }) }
}

test('default: queues due endpoints by host, and again if they are not handled in time', async () => {
  const { time, offers, waiting, planner } = await setUp(['a.example', 'b.example'], 2)
  expect(await planner.plan()).toEqual({ handled: 0, due: 4 })
  expect(offers.map(({ host, endpoints }) => [host, endpoints.length])).toEqual([
    ['a.example', 2],
    ['b.example', 2],
  ])
  waiting.delete('a.example')
  time.now += 1000
  expect(await planner.plan()).toEqual({ handled: 2, due: 2 })
  expect(offers).toHaveLength(2)
  time.now = NOON + TAKE_AGAIN_MS
  await planner.plan()
  expect(offers).toHaveLength(4)
})

test('behavior: keeps the queue short, and counts the rest', async () => {
  const hosts = Array.from({ length: 40 }, (_, index) => `h${index}.example`)
  const { store, waiting, planner } = await setUp(hosts, 256)
  expect(await planner.plan()).toEqual({ handled: 0, due: 40 * 256 })
  expect([...waiting.values()].reduce((sum, count) => sum + count, 0)).toBe(MOST_WAITING)
  expect(await store.countDue('looks', NOON)).toBe(40 * 256 - MOST_WAITING)
})

test('behavior: a large host leaves room for others', async () => {
  const { store, waiting, planner } = await setUp(['a.example'], 3 * TAKE)
  await store.append([aListing({ host: 'b.example', endpoint: 'https://b.example/a' })])
  await planner.plan()
  expect(Object.fromEntries(waiting)).toEqual({ 'a.example': MOST_PER_HOST, 'b.example': 1 })
})
