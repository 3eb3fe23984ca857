import { beforeEach, expect, test } from 'vitest'
import { MINUTE } from '../facts/times.ts'
import { NOON } from '../store/testing/records.ts'
import { keepMade } from './keepMade.ts'

let now = NOON
let revision = 0
let finish: ((outcome: Promise<number> | number) => void)[] = []
beforeEach(() => {
  now = NOON
  revision = 0
  finish = []
})

const keep = (restMs = 0) =>
  keepMade({
    readModel: { revision: () => revision },
    clock: { now: () => now },
    make: () => new Promise<number>((resolve) => finish.push(resolve)),
    restMs,
  })

test('default: after a change, all calls wait for the same new value', async () => {
  const kept = keep()
  expect(kept.peek()).toBeUndefined()
  const first = kept.get()
  finish[0]?.(1)
  expect([await first, kept.peek(), await kept.get()]).toEqual([1, 1, 1])
  revision++
  await expect.poll(kept.peek).toBeUndefined()
  const calls = [kept.get(), kept.get()]
  finish[1]?.(2)
  expect(await Promise.all(calls)).toEqual([2, 2])
  expect(finish).toHaveLength(2)
})

test('behavior: makes the value again every minute', async () => {
  const kept = keep()
  const first = kept.get()
  finish[0]?.(1)
  await first
  now += MINUTE - 1
  expect([kept.peek(), finish.length]).toEqual([1, 1])
  now += 1
  expect(kept.peek()).toBeUndefined()
  const late = kept.get()
  finish[1]?.(2)
  expect(await late).toBe(2)
})

test('behavior: callers get the last value while a new one takes long, and the new one once it is there', async () => {
  const kept = keep()
  const first = kept.get()
  finish[0]?.(1)
  await first
  revision++
  await expect.poll(kept.peek).toBeUndefined()
  expect(await Promise.all([kept.get(), kept.get()])).toEqual([1, 1])
  expect(finish).toHaveLength(2)
  finish[1]?.(2)
  await expect.poll(kept.peek).toBe(2)
  expect(await kept.get()).toBe(2)
  // A value of a minute ago is too old.
  now += MINUTE
  const late = kept.get()
  finish[2]?.(3)
  expect(await late).toBe(3)
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
