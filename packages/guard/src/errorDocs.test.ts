import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PAID_CODES, REASONS, type ReasonCode } from './reasons.ts'
import { REMEDIES } from './remedies.ts'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const [, table = ''] = /\| code \| what happened .*\n\|[-|]+\n((?:\|.*\n)*)/.exec(README) ?? []

function describeMoney(code: ReasonCode): string {
  if (code === 'OFFER_CHANGED') return 'if it says so'
  return PAID_CODES.includes(code) ? 'yes' : 'no'
}

// To update the table, copy the expected text of a failure into the README.
test('behavior: the README describes every code as the code does', () => {
  const codes = Object.keys(REASONS) as ReasonCode[]
  const rows = codes.map(
    (code) => `| \`${code}\` | ${REASONS[code]} | ${REMEDIES[code]} | ${describeMoney(code)} |\n`,
  )
  expect(table).toBe(rows.join(''))
})
