import { expect, test } from 'vitest'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { readOptions } from './readOptions.ts'

checksNoAnswers('it parses words')

test('default: reads switches, a path and numbers', () => {
  const flags = ['--', '--short', '--file', 'list.ndjson', '--endpoints', '2000', '--days=30']
  expect(readOptions(flags, ['endpoints', 'days'])).toEqual({
    ok: true,
    options: {
      short: true,
      file: 'list.ndjson',
      numbers: new Map([
        ['endpoints', 2000],
        ['days', 30],
      ]),
    },
  })
  expect(readOptions([], [])).toEqual({ ok: true, options: { short: false, numbers: new Map() } })
})

test.each(['0', '-1', '1.5', '1e3', 'many', '', '10000000000'])(
  'error: refuses %j as a number of endpoints',
  (text) => {
    expect(readOptions([`--endpoints=${text}`], ['endpoints'])).toEqual({
      ok: false,
      problem: `--endpoints must be a whole number from 1 to 999999999, not "${text}"`,
    })
  },
)

test('error: refuses an option without its value, and one that is not taken', () => {
  expect(readOptions(['--endpoints'], ['endpoints'])).toMatchObject({ ok: false })
  expect(readOptions(['--days', '3'], ['endpoints'])).toMatchObject({
    ok: false,
    problem: expect.stringContaining("'--days'"),
  })
  expect(readOptions(['quickly'], [])).toMatchObject({ ok: false })
})
