import { expect, test } from 'vitest'
import { createMemoryStore } from '../adapters/store/memory/createMemoryStore.ts'
import { documentOf, NOON } from '../adapters/store/testing/records.ts'
import type { HostDocument } from '../domain/facts/hostDocument.ts'
import { createReadModel } from './createReadModel.ts'

const dueAt = (host: string, nextProbeAt: number): HostDocument => {
  const document = documentOf(host, NOON)
  return { ...document, endpoints: document.endpoints.map((endpoint) => ({ ...endpoint, nextProbeAt })) }
}
const names = (documents: readonly HostDocument[]) => documents.map(({ host }) => host)

test('default: loads all documents and keeps them sorted by host', async () => {
  const store = createMemoryStore()
  await store.putHost(documentOf('b.example', NOON))
  const model = await createReadModel(store)
  await model.put(documentOf('a.example', NOON))
  expect(names(model.hosts())).toEqual(['a.example', 'b.example'])
  await model.put(documentOf('b.example', NOON + 1))
  await model.put(documentOf('B.example', NOON))
  await model.put(documentOf('a.example', NOON + 2))
  expect(model.hosts().map(({ host, updatedAt }) => [host, updatedAt - NOON])).toEqual([
    ['B.example', 0],
    ['a.example', 2],
    ['b.example', 1],
  ])
  expect(model.revision()).toBe(4)
})

test('behavior: updates the schedule with every document', async () => {
  const store = createMemoryStore()
  await store.putHost(dueAt('a.example', NOON + 10))
  const model = await createReadModel(store)
  const { schedule } = model
  expect([schedule.next(), schedule.due(NOON + 9).size]).toEqual([NOON + 10, 0])
  await model.put(dueAt('b.example', NOON + 5))
  expect(schedule.next()).toBe(NOON + 5)
  expect([...schedule.due(NOON + 10)]).toEqual([
    ['a.example', ['https://a.example/a']],
    ['b.example', ['https://b.example/a']],
  ])
  await model.put(dueAt('b.example', NOON + 50))
  expect([...schedule.due(NOON + 10).keys()]).toEqual(['a.example'])
  const except = { has: (endpoint: string) => endpoint === 'https://a.example/a' }
  expect([schedule.next(except), schedule.due(NOON + 99, except).size]).toEqual([NOON + 50, 1])
  await model.put({ ...documentOf('a.example', NOON), endpoints: [] })
  expect([schedule.has('https://a.example/a'), schedule.next()]).toEqual([false, NOON + 50])
})

test('behavior: nothing is due without endpoints', async () => {
  const { schedule } = await createReadModel(createMemoryStore())
  expect([schedule.next(), schedule.due(Number.MAX_SAFE_INTEGER).size]).toEqual([Number.POSITIVE_INFINITY, 0])
})

test('behavior: counts each host that names a receiver once', async () => {
  const naming = (host: string, ...receivers: (string | null)[]): HostDocument => {
    const document = documentOf(host, NOON)
    const [first] = document.endpoints
    if (first === undefined) throw new Error('a document has an endpoint')
    const endpoints = receivers.map((payTo, index) => ({
      ...first,
      endpoint: `https://${host}/${index}`,
      network: 'eip155:8453',
      payTo,
    }))
    return { ...document, endpoints }
  }
  const store = createMemoryStore()
  await store.putHost(naming('a.example', '0xAA', '0xaa', null))
  const model = await createReadModel(store)
  const shared = () => ['0xaA', '0xBB'].map((address) => model.sharedBy('eip155:8453', address))
  expect(shared()).toEqual([1, null])
  await model.put(naming('b.example', '0xaa', '0xbb'))
  expect(shared()).toEqual([2, 1])
  await model.put(naming('b.example', '0xaa'))
  await store.putHost(naming('a.example', '0xbb'))
  await model.refresh('a.example')
  expect(shared()).toEqual([1, 1])
  expect(model.sharedBy('eip155:84532', '0xaa')).toBeNull()
})

test('behavior: a category with more than a fifth of all endpoints is compared with everything listed', async () => {
  const store = createMemoryStore()
  const priced = async (category: string | null, count: number, priceUsd: number) => {
    for (let index = 0; index < count; index++) {
      const document = documentOf(`${category}-${index}.example`, NOON)
      const endpoints = document.endpoints.map((one) => ({
        ...one,
        category,
        priceUsd,
        status: 'live' as const,
      }))
      await store.putHost({ ...document, endpoints })
    }
  }
  await priced('uncategorized', 10, 0.01)
  await priced('images', 4, 0.5)
  await priced('data', 6, 0.02)
  const { categoryPrice } = await createReadModel(store)
  const whole = { medianUsd: 0.015, count: 20, isWhole: true }
  expect(categoryPrice('images')).toEqual({ medianUsd: 0.5, count: 4 })
  expect(['data', 'uncategorized', 'nobody', null].map(categoryPrice)).toEqual(Array(4).fill(whole))
  const empty = await createReadModel(createMemoryStore())
  expect(empty.categoryPrice(null)).toBeUndefined()
})
