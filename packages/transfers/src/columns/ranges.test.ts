import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BlockRange } from '../types.ts'
import { intersectRanges, rangeSize, subtractRanges, unionRanges } from './ranges.ts'

function blocksOf(ranges: readonly BlockRange[]) {
  const blocks = new Set<number>()
  for (const { from, to } of ranges) for (let block = from; block <= to; block++) blocks.add(block)
  return [...blocks].sort((a, b) => a - b)
}
const range = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 12 }))
  .map(([from, length]) => ({ from, to: from + length }))
const isCanonical = (ranges: readonly BlockRange[]) =>
  ranges.every((at, i) => at.from <= at.to && (i === 0 || at.from > (ranges[i - 1]?.to ?? 0) + 1))

describe('ranges', () => {
  test('default: measures, intersects and merges ranges', () => {
    expect(rangeSize({ from: 3, to: 5 })).toBe(3)
    expect(intersectRanges({ from: 1, to: 4 }, { from: 4, to: 9 })).toEqual({ from: 4, to: 4 })
    expect(intersectRanges({ from: 1, to: 4 }, { from: 5, to: 9 })).toBeNull()
    expect(
      unionRanges([
        { from: 5, to: 6 },
        { from: 1, to: 4 },
      ]),
    ).toEqual([{ from: 1, to: 6 }])
    expect(unionRanges([{ from: 5, to: 4 }])).toEqual([])
  })

  test('behavior: a union keeps all blocks in disjoint, ascending ranges', () => {
    fc.assert(
      fc.property(fc.array(range), (ranges) => {
        const merged = unionRanges(ranges)
        expect(blocksOf(merged)).toEqual(blocksOf(ranges))
        expect(isCanonical(merged)).toBe(true)
      }),
    )
  })

  test('behavior: subtraction leaves exactly the missing blocks', () => {
    fc.assert(
      fc.property(range, fc.array(range), (whole, covered) => {
        const gaps = subtractRanges(whole, covered)
        const held = new Set(blocksOf(covered))
        expect(blocksOf(gaps)).toEqual(blocksOf([whole]).filter((block) => !held.has(block)))
        expect(isCanonical(gaps)).toBe(true)
      }),
    )
  })
})
