import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { createClock, type EconomyClock, HEAD_START_MS } from './clock.ts'

const HOUR_MS = 3_600_000
let clock: EconomyClock
afterEach(() => clock.stop())

describe('createClock', () => {
  test('default: starts three days ago and jumps to each wake-up time in turn', async () => {
    clock = createClock({ mode: 'fast' })
    const startedAt = clock.now()
    expect(Math.abs(Date.now() - HEAD_START_MS - startedAt)).toBeLessThan(1_000)
    const seen: [string, number][] = []
    const worker = async (name: string, everyMs: number, rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        await clock.sleep(everyMs)
        seen.push([name, (clock.now() - startedAt) / HOUR_MS])
      }
    }
    await Promise.all([worker('a', 2 * HOUR_MS, 3), worker('b', 3 * HOUR_MS, 2)])
    expect(seen).toEqual([
      ['a', 2],
      ['b', 3],
      ['a', 4],
      // Both are due at 6; b slept first (at 3), a at 4.
      ['b', 6],
      ['a', 6],
    ])
    expect(clock.isCaughtUp).toBe(false)
  })

  test('behavior: seventy-two hours of hourly work pass in seconds, then time is real', async () => {
    clock = createClock({ mode: 'fast' })
    const begun = performance.now()
    let rounds = 0
    const aborter = new AbortController()
    const loop = (async () => {
      for (;;) {
        await clock.sleep(HOUR_MS, aborter.signal)
        rounds += 1
      }
    })().catch(() => {})
    await clock.caughtUp
    expect(performance.now() - begun).toBeLessThan(60_000)
    // Whether the 72nd is still in fast time depends on the machine's speed.
    expect(rounds).toBeGreaterThanOrEqual(71)
    expect(rounds).toBeLessThanOrEqual(72)
    expect(clock.isCaughtUp).toBe(true)
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000)
    await delay(20)
    expect(rounds).toBeLessThanOrEqual(72)
    aborter.abort()
    await loop
  })

  test('behavior: time stops until the last hold is released', async () => {
    clock = createClock({ mode: 'fast' })
    const startedAt = clock.now()
    const first = clock.hold()
    const second = clock.hold()
    let woken = false
    const sleeping = clock.sleep(HOUR_MS).then(() => {
      woken = true
    })
    await delay(30)
    expect(clock.now()).toBe(startedAt)
    first()
    first()
    await delay(30)
    expect(woken).toBe(false)
    second()
    await sleeping
    expect(clock.now()).toBe(startedAt + HOUR_MS)
  })

  test('behavior: a hold of a woken task delays the next sleeper', async () => {
    clock = createClock({ mode: 'fast' })
    const startedAt = clock.now()
    const order: string[] = []
    const probe = clock.sleep(HOUR_MS).then(async () => {
      const release = clock.hold()
      await delay(30)
      order.push(`probed at +${(clock.now() - startedAt) / HOUR_MS} h`)
      release()
    })
    const later = clock
      .sleep(2 * HOUR_MS)
      .then(() => order.push(`woken at +${(clock.now() - startedAt) / HOUR_MS} h`))
    await Promise.all([probe, later])
    expect(order).toEqual(['probed at +1 h', 'woken at +2 h'])
  })

  test('behavior: without sleepers time does not move', async () => {
    clock = createClock({ mode: 'fast' })
    const startedAt = clock.now()
    await delay(30)
    expect(clock.now()).toBe(startedAt)
  })

  test('behavior: an aborted sleep rejects with its reason and causes no jump', async () => {
    clock = createClock({ mode: 'fast' })
    const startedAt = clock.now()
    const release = clock.hold()
    const aborter = new AbortController()
    const aborted = clock.sleep(HOUR_MS, aborter.signal)
    const other = clock.sleep(5 * HOUR_MS)
    aborter.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    release()
    await other
    expect(clock.now()).toBe(startedAt + 5 * HOUR_MS)
    await expect(clock.sleep(1, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  })

  test('behavior: skipToNow wakes overdue sleepers and leaves the others to real time', async () => {
    clock = createClock({ mode: 'fast' })
    const release = clock.hold()
    const woken: string[] = []
    const overdue = clock.sleep(HOUR_MS).then(() => woken.push('overdue'))
    const soon = clock.sleep(HEAD_START_MS + 150).then(() => woken.push('soon'))
    clock.skipToNow()
    await overdue
    expect(woken).toEqual(['overdue'])
    await soon
    expect(woken).toEqual(['overdue', 'soon'])
    release()
  })

  test('behavior: the real clock has caught up from the start and sleeps in real time', async () => {
    clock = createClock({ mode: 'real' })
    await clock.caughtUp
    const begun = Date.now()
    await clock.sleep(40)
    expect(Date.now() - begun).toBeGreaterThanOrEqual(39)
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000)
  })

  test('error: stop rejects current and later sleeps', async () => {
    clock = createClock({ mode: 'real' })
    const sleeping = clock.sleep(60_000)
    clock.stop()
    await expect(sleeping).rejects.toMatchObject({ name: 'AbortError' })
    await expect(clock.sleep(1)).rejects.toMatchObject({ name: 'AbortError' })
  })
})
