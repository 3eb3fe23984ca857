import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { between, keyOf, MAX_TIME, openText, readText, readUint, text, time, uint, within } from './keys.ts'

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\0', '\x01', '\x02', '1', '2', '3', 'a', '\xff', '\ud800', '\udfff') }),
)

test('behavior: a text is read back from a key as it was', () => {
  fc.assert(
    fc.property(texts, (value) => {
      expect(readText(openText(value))).toBe(value)
      expect(Buffer.from(text(value), 'latin1').toString('latin1')).toBe(text(value))
    }),
  )
})

test('behavior: the keys of a text hold those of no other', () => {
  fc.assert(
    fc.property(texts, texts, texts, (a, b, rest) => {
      fc.pre(a !== b)
      const { gte, lt } = within(keyOf('L', text(a)))
      const other = keyOf('L', text(b)) + openText(rest)
      expect(other >= gte && other < lt).toBe(false)
      const own = keyOf('L', text(a)) + openText(rest)
      expect(own >= gte && own < lt).toBe(true)
    }),
  )
})

test('behavior: keys have the order of the UTF-8 of their texts', () => {
  // Within well-formed text without control characters.
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      const isBefore = Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
      expect(openText(a) < openText(b)).toBe(isBefore)
    }),
  )
})

test('default: numbers and times keep their order and are read back', () => {
  fc.assert(
    fc.property(fc.nat({ max: MAX_TIME }), fc.nat({ max: MAX_TIME }), (a, b) => {
      expect(readUint(`x${time(a)}`, 1)).toBe(a)
      expect(time(a) < time(b)).toBe(a < b)
    }),
  )
  expect(readUint(uint(70_000, 4), 0, 4)).toBe(70_000)
})

test('behavior: a range of times has both its ends, and nothing of an empty one', () => {
  const holds = (from: number, to: number, at: number) => {
    const { gte, lt } = between('l', from, to)
    const key = `l${time(at)}\xff`
    return key >= gte && key < lt
  }
  expect([9, 10, 20, 21].map((at) => holds(10, 20, at))).toEqual([false, true, true, false])
  expect(holds(0, Number.POSITIVE_INFINITY, MAX_TIME)).toBe(true)
  expect(holds(Number.NEGATIVE_INFINITY, MAX_TIME, MAX_TIME)).toBe(true)
  expect([holds(20, 10, 15), holds(-5, -1, 0)]).toEqual([false, false])
})
