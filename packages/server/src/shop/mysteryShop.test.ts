import { expect, test } from 'vitest'
import { createJumpClock } from '../crawl/testing/jumpClock.ts'
import { DAY, HOUR } from '../domain/facts/times.ts'
import { putHosts } from '../readModel/testing/putHosts.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { documentOf, NOON } from '../store/testing/records.ts'
import type { ShoppingResult } from './createShopper.ts'
import { createMysteryShop } from './mysteryShop.ts'

const BOUGHT: ShoppingResult = {
  kind: 'bought',
  network: 'eip155:8453',
  payTo: '0x1111111111111111111111111111111111111111',
  amountAtomic: '1000',
  settled: true,
  delivered: true,
  txHash: `0x${'cd'.repeat(32)}`,
}
const refused = (isOutOfBudget: boolean, reason = 'no'): ShoppingResult => ({
  kind: 'refused',
  reason,
  isOutOfBudget,
})

async function setUp(
  answer: (url: string) => ShoppingResult,
  hosts: readonly string[] = ['a.example', 'b.example', 'c.example'],
) {
  const store = createMemoryStore()
  await putHosts(store, ...hosts.map((host) => documentOf(host, NOON)))
  const calls: string[] = []
  const judged: string[] = []
  const clock = createJumpClock(NOON)
  const shop = createMysteryShop({
    shopper: {
      perCallUsd: 0.05,
      async buy({ url }) {
        calls.push(new URL(url).host)
        return answer(url)
      },
      close: async () => {},
    },
    store,
    auditor: {
      async judge(endpoint) {
        judged.push(endpoint)
        throw new Error('not asked for its answer')
      },
    },
    clock,
    newId: (prefix) => `${prefix}_${calls.length}`,
    network: 'eip155:8453',
  })
  const round = () => shop.shopOnce(new AbortController().signal)
  return { store, clock, calls, judged, round, shop }
}

test('default: records a purchase before judging it', async () => {
  const { store, round, judged, clock } = await setUp(() => BOUGHT)
  await expect(round()).rejects.toThrow('not asked')
  const { kind: _kind, ...facts } = BOUGHT
  expect(await store.purchases('a.example')).toEqual([
    {
      kind: 'purchase',
      id: 'buy_1',
      at: clock.now(),
      endpoint: 'https://a.example/a',
      host: 'a.example',
      ...facts,
    },
  ])
  expect(judged).toEqual(['https://a.example/a'])
})

test('behavior: a spent budget ends the round, and the next round tries again', async () => {
  const { round, calls } = await setUp(() => refused(true))
  expect(await round()).toBe(0)
  expect(await round()).toBe(0)
  expect(calls).toEqual(['a.example', 'a.example'])
})

test('behavior: skips a service for a day after a refusal', async () => {
  const { round, calls, clock } = await setUp(() => refused(false))
  await round()
  await round()
  expect(calls).toEqual(['a.example', 'b.example', 'c.example'])
  await clock.sleep(DAY)
  await round()
  expect(calls).toHaveLength(6)
})

test('behavior: a service that was refused for want of a verdict is tried again after an hour', async () => {
  const { round, calls, clock } = await setUp(() => refused(false, 'VERDICT_UNAVAILABLE'))
  await round()
  await clock.sleep(HOUR)
  await round()
  expect(calls).toHaveLength(6)
})

test('behavior: a round visits every service once, however many there are', async () => {
  const hosts = Array.from({ length: 250 }, (_, number) => `h${number}.example`)
  const { round, calls } = await setUp(() => refused(false), hosts)
  await round()
  expect(calls).toEqual(hosts.toSorted())
})

test('behavior: repeats rounds until the signal fires', async () => {
  const { shop, clock } = await setUp(() => refused(true))
  const ending = new AbortController()
  const { sleep } = clock
  clock.sleep = (ms, signal) => {
    if (clock.slept.length === 2) ending.abort()
    return sleep(ms, signal)
  }
  await shop.run(ending.signal)
  expect(clock.slept).toEqual([HOUR / 6, HOUR / 6])
})
