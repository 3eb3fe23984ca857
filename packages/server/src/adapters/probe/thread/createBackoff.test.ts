import { expect, test } from 'vitest'
import { createBackoff } from './createBackoff.ts'

/** Dies so long after its start; says how long it has to rest then, to the nearest 100 ms. */
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

test('default: the rest grows with each early death, to a minute', () => {
  const live = startLives()
  expect(Array.from({ length: 10 }, () => live(10))).toEqual([
    0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
  ])
})

test('behavior: a long life makes up for early deaths', () => {
  const live = startLives()
  expect([10, 10, 10_000, 10, 10].map(live)).toEqual([0, 500, 0, 0, 500])
})
