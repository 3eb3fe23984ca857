import { afterEach, describe, expect, test, vi } from 'vitest'
import { createStallWatch } from './watchStalls.ts'

afterEach(() => void vi.useRealTimers())

describe('createStallWatch', () => {
  test('default: reports no stall while the heartbeat is steady', () => {
    vi.useFakeTimers()
    const span = createStallWatch().begin()
    vi.advanceTimersByTime(60_000)
    expect(span.hasStalled()).toBe(false)
  })

  test.each([0, 1])(
    'behavior: a gap on clock %d counts as a stall only for the periods that it overlaps',
    (index) => {
      vi.useFakeTimers()
      const clocks = [0, 0]
      const watch = createStallWatch([() => clocks[0] ?? 0, () => clocks[1] ?? 0])
      const over = watch.begin()
      expect(over.hasStalled()).toBe(false)
      over.end()
      const span = watch.begin()
      clocks[index] = 1_251
      expect(watch.begin().hasStalled()).toBe(false)
      expect(span.hasStalled()).toBe(true)
      vi.advanceTimersByTime(1_000)
      expect([span.hasStalled(), watch.begin().hasStalled()]).toEqual([true, false])
    },
  )

  test('behavior: stops the heartbeat after the last period ends', () => {
    vi.useFakeTimers()
    const watch = createStallWatch()
    const spans = [watch.begin(), watch.begin()]
    spans[0]?.end()
    expect(vi.getTimerCount()).toBe(1)
    spans[1]?.end()
    expect(vi.getTimerCount()).toBe(0)
    vi.setSystemTime(Date.now() + 60_000)
    expect(watch.begin().hasStalled()).toBe(false)
  })
})
