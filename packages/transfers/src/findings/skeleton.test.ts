import fc from 'fast-check'
import { expect, test } from 'vitest'
import confusables from './confusables.json' with { type: 'json' }
import { createMatcher, skeletonOf } from './skeleton.ts'

const looksAlike = (known: string, text: string) => createMatcher([known])(text) !== null

test('default: tells look-alike symbols from others', () => {
  // Cyrillic, Greek and Cherokee letters, mathematical and full-width ones, marks, digits and spaces.
  for (const copy of [
    'U\u0405D\u0421',
    'US\u13a0C',
    '\u{1d414}SDC',
    'ＵＳＤＣ',
    'U\u0301SDC',
    'u\u0455dc',
    'U S\u200bDC',
  ])
    expect([copy, looksAlike('USDC', copy)]).toEqual([copy, true])
  expect(looksAlike('DAI', 'DAl')).toBe(true)
  expect(looksAlike('DAI', 'DA1')).toBe(true)
  expect(looksAlike('DAI', '\u0394AI')).toBe(false)
  for (const other of ['USDT', 'USDC.e', 'USD', 'EURC', '', '\u{1f4b0}'])
    expect([other, looksAlike('USDC', other)]).toEqual([other, false])
  expect(looksAlike('DAI', 'DAL')).toBe(false)
  expect(createMatcher(['DAI'])(' d.ai')).toBe('same')
  expect(createMatcher(['DAI'])('DAl')).toBe('alike')
  // Two letters look like too many others.
  expect([looksAlike('AI', 'A1'), looksAlike('AI', 'ai')]).toEqual([false, true])
})

test('behavior: a text looks like itself, in any case, with any look-alikes for its letters', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789']
  const copies = new Map(
    Object.entries(confusables.letters).map(([shown, codes]) => [shown, codes.split(' ')]),
  )
  const symbol = fc.array(fc.constantFrom(...letters), { minLength: 3, maxLength: 8 })
  fc.assert(
    fc.property(symbol, fc.nat(), (list, pick) => {
      const text = list.join('')
      const copy = list
        .map((letter) => {
          const codes = copies.get(letter) ?? []
          const code = codes[pick % Math.max(1, codes.length)]
          return code === undefined ? letter : String.fromCodePoint(Number.parseInt(code, 16))
        })
        .join('')
      expect(skeletonOf(copy)).toBe(skeletonOf(text))
      expect(looksAlike(text, copy)).toBe(true)
      expect(looksAlike(text, text.toLowerCase())).toBe(true)
    }),
  )
})
