import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contextOf } from '../testing/anyRows.ts'
import { describeAmount } from './answer.ts'

const shown = (raw: bigint, decimals: number | null = 6) => describeAmount(contextOf({ decimals }), raw)

test('default: shows two significant digits after the point, and groups of thousands', () => {
  expect(shown(1_234_567_891_234n)).toBe('1,234,567.89 USDC')
  expect(shown(28_278_000_001n)).toBe('28,278 USDC')
  expect(shown(-28_278_500_000n)).toBe('-28,278.5 USDC')
  expect(shown(123n)).toBe('0.00012 USDC')
  expect(shown(-1n)).toBe('-0.000001 USDC')
  expect(shown(0n)).toBe('0 USDC')
  expect(shown(1n, 18)).toBe('0.000000000000000001 USDC')
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
