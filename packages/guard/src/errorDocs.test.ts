import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PAID_CODES, REASONS, type ReasonCode } from './reasons.ts'
import { REMEDIES } from './remedies.ts'

const read = (name: string) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8')
const codes = Object.keys(REASONS) as ReasonCode[]
const [, table = ''] = /\| code \| what happened .*\n\|[-|]+\n((?:\|.*\n)*)/.exec(read('refusals')) ?? []

function describeMoney(code: ReasonCode): string {
  if (code === 'OFFER_CHANGED') return 'if it says so'
  return PAID_CODES.includes(code) ? 'yes' : 'no'
}

// To update the table, copy the expected text of a failure into docs/refusals.md.
test('behavior: docs/refusals.md describes every code as the code does', () => {
  const rows = codes.map(
    (code) => `| \`${code}\` | ${REASONS[code]} | ${REMEDIES[code]} | ${describeMoney(code)} |\n`,
  )
  expect(table).toBe(rows.join(''))
})

test('behavior: docs/agents.md says what to do for every code, once', () => {
  const [, rows = ''] = /\| do \| codes \|\n\|[-|]+\n((?:\|.*\n)*)/.exec(read('agents')) ?? []
  const named = [...rows.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code)
  expect(named.sort()).toEqual([...codes].sort())
})
