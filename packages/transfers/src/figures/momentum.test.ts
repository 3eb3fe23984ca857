import { expect, test } from 'vitest'
import { contextOf, who } from '../testing/anyRows.ts'
import { columnsOf } from '../testing/columnsOf.ts'
import { measureActivity } from './activity.ts'
import { changePct, compareWindows, zScore } from './momentum.ts'

const windowOf = (count: number, each: bigint) =>
  measureActivity(
    columnsOf(
      Array.from({ length: count }, (_, i) => ({
        block: 1000 + i,
        from: who(i),
        to: who(i + 1),
        value: each,
      })),
    ),
  )
const before = {
  fromBlock: 400,
  toBlock: 999,
  fromTime: '2025-12-31T23:00:00.000Z',
  toTime: '2025-12-31T23:59:58.000Z',
  complete: true,
}

test('default: compares two windows and finds a rising direction', () => {
  const trailing = [40, 44, 48, 52].map((count) => windowOf(count, 10n))
  const momentum = compareWindows(windowOf(60, 12n), windowOf(50, 10n), trailing, contextOf(), before)
  expect(momentum.metrics.transfers).toEqual({
    current: 60,
    previous: 50,
    delta: 10,
    pct: 20,
    noPrior: false,
    zScore: 2.71,
  })
  expect(momentum.metrics.volume).toMatchObject({
    current: { raw: '720' },
    previous: { raw: '500' },
    delta: { raw: '220' },
    pct: 44,
  })
  expect(momentum.direction).toMatchObject({ word: 'rising', ruleId: 'volume-and-transfers-10' })
  expect(momentum).toMatchObject({ lowSample: false, trailingWindows: 4 })
})

test('behavior: derives the direction from volume and transfers', () => {
  const word = (current: [number, bigint], previous: [number, bigint], complete = true) =>
    compareWindows(windowOf(...current), windowOf(...previous), [], contextOf({}, complete), before).direction
      .word
  expect(word([40, 10n], [50, 10n])).toBe('falling')
  expect(word([40, 50n], [50, 10n])).toBe('mixed')
  expect(word([52, 10n], [50, 10n])).toBe('flat')
  expect(word([29, 10n], [50, 10n])).toBe('unclear')
  expect(word([60, 12n], [50, 10n], false)).toBe('unclear')
})

test('behavior: has no percentage of zero and no z-score of few or equal windows', () => {
  expect(changePct(5n, 0n)).toBeNull()
  expect(changePct(-5n, 3n)).toBe(-266.66)
  expect(zScore(5, [1, 2, 3])).toBeNull()
  expect(zScore(5, [2, 2, 2, 2])).toBeNull()
  const momentum = compareWindows(windowOf(3, 1n), windowOf(0, 1n), [], contextOf(), before)
  for (const metric of Object.values(momentum.metrics))
    expect(metric).toMatchObject({ pct: null, noPrior: true })
  expect(momentum.summary).toContain('(no prior volume)')
  const some = compareWindows(windowOf(3, 1n), windowOf(1, 1n), [], contextOf(), before)
  expect(some.metrics.volume).toMatchObject({ pct: 200, noPrior: false })
  // Nothing was minted in either window.
  expect(some.metrics.mint).toMatchObject({ pct: null, noPrior: true })
  expect(momentum.lowSample).toBe(true)
  expect(momentum.caveats.some((caveat) => caveat.includes('chance'))).toBe(true)
})
