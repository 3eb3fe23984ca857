import { expect, test } from 'vitest'
import { createMemoryStore } from '../adapters/store/memory/createMemoryStore.ts'
import { NOON } from '../adapters/store/testing/records.ts'
import type { EndpointState } from '../domain/facts/hostDocument.ts'
import { DAY } from '../domain/facts/times.ts'
import { createHostChoice } from './chooseHosts.ts'
import { endpointDocument } from './testing/endpointDocument.ts'

async function setUp(names: readonly string[], changes: Partial<EndpointState> = {}, limit?: number) {
  const time = { now: NOON }
  const clock = { now: () => time.now }
  const store = createMemoryStore(clock)
  const renew = async () => {
    for (const name of names) {
      const { state, carried } = endpointDocument(name, time.now, time.now)
      await store.putEndpoint({ state: { ...state, ...changes }, carried })
    }
  }
  await renew()
  const choose = createHostChoice({ store, clock, ...(limit !== undefined && { limit }) })
  return { time, choose, renew }
}

test('default: chooses each host once a day', async () => {
  const { time, choose } = await setUp(['a.example', 'b.example'])
  expect(await choose()).toEqual(['https://a.example', 'https://b.example'])
  time.now += DAY - 1
  expect(await choose()).toEqual([])
  time.now += 1
  expect(await choose()).toHaveLength(2)
})

test('behavior: chooses the remaining hosts next', async () => {
  const { time, choose } = await setUp(['a.example', 'b.example', 'c.example'], {}, 2)
  expect(await choose()).toEqual(['https://a.example', 'https://b.example'])
  expect(await choose()).toEqual(['https://c.example'])
  time.now += DAY
  expect(await choose()).toEqual(['https://a.example', 'https://b.example'])
})

test('behavior: skips hosts without a live endpoint', async () => {
  const { choose } = await setUp(['a.example'], { status: 'dark' })
  expect(await choose()).toEqual([])
})
