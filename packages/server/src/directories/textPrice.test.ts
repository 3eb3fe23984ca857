import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTextPrice } from './textPrice.ts'

test.each([
  ['$0.01', 0.01],
  ['$ 0.01', 0.01],
  ['0.01', 0.01],
  ['0.01 USDC', 0.01],
  ['0.01usdc', 0.01],
  ['USDC 0.01', 0.01],
  ['0.01 USD', 0.01],
  ['0.01$', 0.01],
  ['$0.01 USDC', 0.01],
  [' 0.05 ', 0.05],
  ['5 USDC', 5],
  [0.01, 0.01],
  [0, 0],
  ['0', 0],
  ['$0.00', 0],
  ['free', 0],
  ['Free', 0],
])('default: reads %o as %o dollars', (text, usd) => {
  expect(readTextPrice(text)?.usd).toBe(usd)
})

test.each([
  '0,01',
  '1e-2',
  '1E2',
  '-0.01',
  '+0.01',
  '.5',
  '5.',
  '1.000.000',
  '1,000.00',
  '0x10',
  '0.01 EUR',
  '€0.01',
  '0.01 ETH',
  'from $0.01',
  '$0.01 per call',
  '$0.01-$0.05',
  'free for ten calls',
  '0.01 USDC USDC',
  '٠.٠١',
  '０.01',
  '',
  ' ',
  '9'.repeat(10),
  `0.${'1'.repeat(19)}`,
  `${' '.repeat(50)}0.01`,
  'NaN',
  'Infinity',
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -1,
  1e9,
  true,
  null,
  undefined,
  {},
  ['0.01'],
])('error: does not guess what %o costs', (text) => {
  expect(readTextPrice(text)).toBeNull()
})

test('behavior: reads exactly what it can write, whatever the form', () => {
  const usd = fc.tuple(fc.integer({ min: 0, max: 999_999_999 }), fc.stringMatching(/^[0-9]{0,18}$/))
  const form = fc.constantFrom<(digits: string) => string>(
    (digits) => digits,
    (digits) => `$${digits}`,
    (digits) => `${digits} USDC`,
    (digits) => `USD ${digits}`,
  )
  fc.assert(
    fc.property(usd, form, ([whole, fraction], write) => {
      const digits = fraction === '' ? `${whole}` : `${whole}.${fraction}`
      expect(readTextPrice(write(digits))?.usd).toBe(Number(digits))
    }),
  )
})

test('behavior: any value is a price from 0 to a billion or none, at once', () => {
  const text = fc.string({ unit: fc.constantFrom(...'0123456789.,$€eE+-xX USDCusdcfre\u00a0\n\u0000') })
  fc.assert(
    fc.property(fc.oneof(text, fc.anything()), (value) => {
      const price = readTextPrice(value)
      expect(price === null || (price.usd >= 0 && price.usd < 1e9)).toBe(true)
    }),
    { examples: [[`${'0'.repeat(40)}`], [`$${'1'.repeat(100_000)}`], [`${' '.repeat(100_000)}x`]] },
  )
})
