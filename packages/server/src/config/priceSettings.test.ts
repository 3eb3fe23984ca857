import { expect, test } from 'vitest'
import { problemsOf } from './testing.ts'

test('default: takes prices from $0.001 to $1000, with six digits after the point', () => {
  expect(problemsOf({ PRICES: 'trust=0.001,trustHistory=0.123456,dataFull=1000' })).toEqual([])
})

test.each([
  ['trust', '"trust" must be OPERATION=DOLLARS with one of trust, trustHistory, '],
  ['trust=1e3', '"trust=1e3" must be OPERATION=DOLLARS with one of trust, trustHistory, '],
  ['nothing=1', '"nothing=1" must be OPERATION=DOLLARS with one of trust, trustHistory, '],
  ['trust=0.0009', '"trust=0.0009": the lowest price is 0.001'],
  ['trust=1000.01', '"trust=1000.01": the highest price is 1000'],
  [`trust=${'9'.repeat(80)}`, `"trust=${'9'.repeat(80)}": the highest price is 1000`],
  ['trust=0.0100001', '"trust=0.0100001" must have at most 6 digits after the point'],
  ['trust=1,trust=2', '"trust=2": trust has a price already'],
])('error: names the setting and the price that is wrong: %s', (PRICES, problem) => {
  expect(problemsOf({ PRICES })).toEqual([expect.stringContaining(`PRICES ${problem}`)])
})
