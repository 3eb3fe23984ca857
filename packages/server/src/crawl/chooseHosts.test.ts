import { expect, test } from 'vitest'
import type { EndpointState } from '../facts/hostDocument.ts'
import { DAY } from '../facts/times.ts'
import { systemClock } from '../lib/clock.ts'
import { aState } from '../store/testing/documents.ts'
import { NOON } from '../store/testing/records.ts'
import { chooseHosts } from './chooseHosts.ts'
import { openStore } from './testing/openStore.ts'

async function setUp(names: readonly string[], changes: Partial<EndpointState> = {}, limit = 1000) {
  const time = { now: NOON }
  const clock = { ...systemClock, now: () => time.now }
  const store = await openStore(clock.now)
  const renew = async () => {
    for (const name of names) {
      await store.write('putEndpoint', {
        ...aState({ endpoint: `https://${name}/a`, derivedAt: time.now, nextProbeAt: time.now }),
        ...changes,
      })
    }
  }
  await renew()
  const choose = () => chooseHosts({ store, clock }, limit)
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
