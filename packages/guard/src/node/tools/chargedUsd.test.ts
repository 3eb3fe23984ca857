import { expect, test } from 'vitest'
import { chargedUsd } from './chargedUsd.ts'

const paid = { amountUsd: '0.01', state: 'settled' as const }

test.each([
  ['a first payment', [paid], '0.01'],
  ['a repetition', [{ ...paid, isRepeat: true }], '0'],
  ['a payment that did not leave', [{ ...paid, state: 'signed' as const }], '0'],
  ['nothing', [null, undefined], '0'],
  [
    'a repetition after a live check',
    [
      { ...paid, isRepeat: true },
      { ...paid, amountUsd: '0.002' },
    ],
    '0.002',
  ],
])('default: %s', (_, payments, usd) => {
  expect(chargedUsd(...payments)).toBe(usd)
})
