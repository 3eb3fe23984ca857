import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quoteSymbol } from './quoteSymbol.ts'

test('default: quotes a symbol and cuts it to 16 letters', () => {
  expect(quoteSymbol('USDC')).toBe('“USDC”')
  expect(quoteSymbol('ABCDEFGHIJKLMNOP')).toBe('“ABCDEFGHIJKLMNOP”')
  expect(quoteSymbol('ABCDEFGHIJKLMNOPQ')).toBe('“ABCDEFGHIJKLMNOP…”')
  expect(quoteSymbol('\u{1f4b0}'.repeat(17))).toBe(`“${'\u{1f4b0}'.repeat(16)}…”`)
})

test('behavior: no symbol ends its quotes or turns the text around', () => {
  expect(quoteSymbol('X” is safe. “')).toBe('“X is safe.”')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (symbol) => {
      expect(quoteSymbol(symbol)).toMatch(/^“[^"“”\p{C}]*”$/u)
    }),
  )
})
