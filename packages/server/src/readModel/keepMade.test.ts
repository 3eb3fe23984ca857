import { beforeEach, expect, test } from 'vitest'
import { documentOf, NOON } from '../adapters/store/testing/records.ts'
import { MINUTE } from '../domain/facts/times.ts'
import { keepMade } from './keepMade.ts'

const documents = Array.from({ length: 1000 }, (_, number) => documentOf(`h${number}.example`, NOON))

let now = NOON
let revision = 0
let hosts = documents
let finish: ((outcome: Promise<number> | number) => void)[] = []
beforeEach(() => {
  now = NOON
  revision = 0
  hosts = documents
  finish = []
})

const keep = (restMs = 0) =>
  keepMade({
    readModel: { hosts: () => hosts, revision: () => revision },
    clock: { now: () => now },
    make: () => new Promise<number>((resolve) => finish.push(resolve)),
    restMs,
  })
const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Computes the first value, then causes changes until the second one is being computed. */
async function begin(kept: ReturnType<typeof keep>) {
  const first = kept.get()
  finish[0]?.(1)
  expect(await first).toBe(1)
  revision++
  await expect
    .poll(() => {
      kept.peek()
      return finish.length
    })
    .toBe(2)
}

test('default: with many hosts, returns the stale value while a new one is computed', async () => {
  const kept = keep()
  expect(kept.peek()).toBeUndefined()
  await begin(kept)
  expect([kept.peek(), await kept.get()]).toEqual([1, 1])
  finish[1]?.(2)
  await settle()
  expect([kept.peek(), await kept.get(), finish.length]).toEqual([2, 2, 2])
})

test('behavior: with few hosts, all calls wait for the same new value', async () => {
  hosts = documents.slice(0, 10)
  const kept = keep()
  await begin(kept)
  expect(kept.peek()).toBeUndefined()
  const calls = [kept.get(), kept.get()]
  finish[1]?.(2)
  expect(await Promise.all(calls)).toEqual([2, 2])
  expect(finish).toHaveLength(2)
})

test('behavior: recomputes every minute and drops a value after two', async () => {
  const kept = keep()
  const first = kept.get()
  finish[0]?.(1)
  await first
  now += MINUTE - 1
  expect([kept.peek(), finish.length]).toEqual([1, 1])
  now += 1
  expect([kept.peek(), finish.length]).toEqual([1, 2])
  now += MINUTE
  expect(kept.peek()).toBeUndefined()
  const late = kept.get()
  finish[1]?.(2)
  expect(await late).toBe(2)
})

test('behavior: ignores changes during the rest', async () => {
  const kept = keep(5000)
  const first = kept.get()
  finish[0]?.(1)
  await first
  revision++
  now += 4999
  expect([kept.peek(), finish.length]).toEqual([1, 1])
})

test('error: rejects for waiting callers, and the next call tries again', async () => {
  const kept = keep()
  const failed = kept.get()
  finish[0]?.(Promise.reject(new Error('no store')))
  await expect(failed).rejects.toThrow('no store')
  const again = kept.get()
  finish[1]?.(7)
  expect(await again).toBe(7)
})
