import { expect, test } from 'vitest'
import { writeCsv } from './csv.ts'

test('default: writes a line for each row, with numbers as they are and nothing for null', () => {
  const rows = [
    ['date', 'price'],
    ['2026-11-28', 0.005],
    ['2026-11-29', null],
    ['2026-11-30', -1],
  ]
  expect(writeCsv(rows)).toBe('date,price\r\n2026-11-28,0.005\r\n2026-11-29,\r\n2026-11-30,-1\r\n')
})

test('behavior: texts with commas, quotes or line ends stay one cell', () => {
  expect(writeCsv([['a,b', 'say "x"', 'one\r\ntwo']])).toBe('"a,b","say ""x""","one\r\ntwo"\r\n')
})

test('behavior: no text begins as a formula of a spreadsheet', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '\n'])
    expect(writeCsv([[`${start}cmd()`]]).replace(/^"/, '')).toMatch(/^'/)
})
