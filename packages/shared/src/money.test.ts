import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatUnits, formatUsdc, MoneyError, parseAtomic, parseUnits, usdToAtomic } from './money.ts'

const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const decimals = fc.integer({ min: 0, max: 60 })

describe('parseAtomic', () => {
  test('default: parses every uint256', () => {
    fc.assert(fc.property(uint256, (amount) => void expect(parseAtomic(amount.toString())).toBe(amount)))
  })

  test.each(['', '01', '-1', '+1', '1.0', '1e3', '0x10', ' 1', '1 ', '1n', '１', '9'.repeat(79), 1, null])(
    'error: rejects %j',
    (text) => expect(() => parseAtomic(text)).toThrow(MoneyError),
  )

  test('error: rejects any value that is not its own decimal text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.anything()), (value) => {
        try {
          expect(parseAtomic(value).toString()).toBe(value)
        } catch (error) {
          expect(error).toBeInstanceOf(MoneyError)
        }
      }),
    )
  })
})

describe('parseUnits', () => {
  test.each([
    ['1.25', 6, '1250000'],
    ['0.005', 6, '5000'],
    ['1.250000000', 6, '1250000'],
    ['0', 18, '0'],
    ['7', 0, '7'],
  ])('default: %s with %i decimals is %s', (text, places, amount) => {
    expect(parseUnits(text, places)).toBe(BigInt(amount))
  })

  test('behavior: reverses formatUnits for every amount and number of decimals', () => {
    fc.assert(
      fc.property(uint256, decimals, (amount, places) => {
        // A longer whole part exceeds DECIMAL_PATTERN.
        fc.pre(amount / 10n ** BigInt(places) < 10n ** 59n)
        expect(parseUnits(formatUnits(amount, places), places)).toBe(amount)
      }),
    )
  })

  test('behavior: is exact where doubles round', () => {
    expect(parseUnits('0.1', 18) + parseUnits('0.2', 18)).toBe(parseUnits('0.3', 18))
    expect(parseUnits('9007199254740993.000001', 6)).toBe(9_007_199_254_740_993_000_001n)
  })

  test.each(['', '.5', '5.', '-1', '1,5', '1e3', '00.5', '01', ' 1', 'NaN', 'Infinity', '1.2.3', '$1'])(
    'error: rejects %j as a decimal',
    (text) => expect(() => parseUnits(text, 6)).toThrow(MoneyError),
  )

  test('error: rejects more fraction digits than the token has decimals', () => {
    expect(() => parseUnits('0.0000001', 6)).toThrow('expected at most 6 digits after the point')
    expect(() => usdToAtomic('0.0000005')).toThrow(MoneyError)
  })
})

test('behavior: dollars and the smallest unit of USDC convert back and forth', () => {
  for (const usd of ['0', '0.000001', '0.005', '1.25', '1000000'])
    expect(formatUsdc(usdToAtomic(usd))).toBe(usd)
})

describe('formatUnits', () => {
  test.each([
    ['1250000', 6, '1.25'],
    ['5000', 6, '0.005'],
    ['0', 6, '0'],
    ['10', 0, '10'],
    ['-1500000', 6, '-1.5'],
  ])('default: %s with %i decimals is %s', (amount, places, text) => {
    expect(formatUnits(BigInt(amount), places)).toBe(text)
  })
})
