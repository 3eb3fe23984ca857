import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addMark, hasMark, NO_MARKS } from './marks.ts'

describe('hasMark', () => {
  test('default: every text that was marked is found', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 200 }), (texts) => {
        const marks = texts.reduce(addMark, NO_MARKS)
        expect(texts.every((text) => hasMark(marks, text))).toBe(true)
      }),
    )
  })

  test('behavior: few others are found, and the length is bounded', () => {
    const marks = Array.from({ length: 500 }, (_, index) => `${10_000 + index}`).reduce(addMark, NO_MARKS)
    const found = Array.from({ length: 3000 }, (_, index) => `${50_000 + index}`).filter((text) =>
      hasMark(marks, text),
    )
    expect(found.length).toBeLessThan(60)
    expect(marks).toHaveLength(1024)
    expect(hasMark(NO_MARKS, '')).toBe(false)
  })
})
