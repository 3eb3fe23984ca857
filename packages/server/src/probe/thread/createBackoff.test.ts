import { expect, test } from 'vitest'
import { createBackoff } from './createBackoff.ts'

/** Returns a function that simulates one life and returns the delay before the next start, to the nearest 100 ms. */
function startLives() {
  let at = 0
  const backoff = createBackoff(() => at)
  return (lifeMs: number) => {
    const died = backoff.started()
    at += lifeMs
    died()
    const diedAt = at
    while (backoff.isResting()) at += 100
    return at - diedAt
  }
}

test('default: the delay doubles with each failed start, up to a minute', () => {
  const live = startLives()
  expect(Array.from({ length: 10 }, () => live(10))).toEqual([
    0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
  ])
})

test('behavior: a long life resets the delay', () => {
  const live = startLives()
  expect([10, 10, 10_000, 10, 10].map(live)).toEqual([0, 500, 0, 0, 500])
})
