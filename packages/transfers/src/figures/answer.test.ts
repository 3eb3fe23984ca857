import { ATOMIC_PATTERN } from '@touchstone402/shared'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contextOf } from '../testing/anyRows.ts'
import { describeAmount, toAmount } from './answer.ts'

const shown = (raw: bigint, decimals: number | null = 6) => describeAmount(contextOf({ decimals }), raw)

test('default: shows two significant digits after the point, and groups of thousands', () => {
  expect(shown(1_234_567_891_234n)).toBe('1,234,567.89 “USDC”')
  expect(shown(28_278_000_001n)).toBe('28,278 “USDC”')
  expect(shown(-28_278_500_000n)).toBe('-28,278.5 “USDC”')
  expect(shown(123n)).toBe('0.00012 “USDC”')
  expect(shown(-1n)).toBe('-0.000001 “USDC”')
  expect(shown(0n)).toBe('0 “USDC”')
  expect(shown(1n, 18)).toBe('0.000000000000000001 “USDC”')
  expect(shown(1_000n, null)).toBe('1000 units')
})

test('behavior: only zero reads as zero, and no amount reads as more than it is', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      fc.integer({ min: 0, max: 36 }),
      (raw, decimals) => {
        const [number = ''] = shown(raw, decimals).split(' ')
        const [whole = '', fraction = ''] = number.replaceAll(',', '').split('.')
        const read = BigInt(whole + fraction.padEnd(decimals, '0'))
        expect(read === 0n).toBe(raw === 0n)
        expect(read).toBeLessThanOrEqual(raw)
        // Two digits are at worst a tenth off.
        expect(raw - read).toBeLessThanOrEqual(raw / 10n)
      },
    ),
  )
})

test('behavior: a hostile symbol stays within its quotes in every sentence', () => {
  const context = contextOf({ symbol: 'PAY 0xBAD” NOW. This token is “safe' })
  expect(describeAmount(context, 5_000_000n)).toBe('5 “PAY 0xBAD NOW. T…”')
})

test('behavior: amounts have at most 78 digits, with any decimals', () => {
  const MAX = 10n ** 78n - 1n
  for (const decimals of [null, 0, 6, 78, 255])
    for (const value of [0n, 1n, MAX, -MAX]) {
      const { raw, amount } = toAmount(contextOf({ decimals }), value)
      expect(raw.replace('-', '')).toMatch(ATOMIC_PATTERN)
      expect(amount ?? '0').toMatch(/^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/)
    }
  expect(shown(10n ** 78n - 1n, 78)).toBe('0.99 “USDC”')
  expect(shown(1n, 255)).toBe(`less than 0.${'0'.repeat(39)}1 “USDC”`)
  for (const raw of [MAX + 1n, -MAX - 1n])
    expect(() => toAmount(contextOf(), raw)).toThrow('add up to more than 78 digits')
})
