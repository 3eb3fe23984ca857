import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PAID_CODES, REASONS, REMEDIES, type ReasonCode } from './reasons.ts'

const read = (name: string) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8')
const codes = Object.keys(REASONS) as ReasonCode[]

// To update the list, copy the expected text of a failure into docs/refusals.md.
test('behavior: docs/refusals.md lists every code by its remedy, and those after which money may have left', () => {
  const [, list = ''] = /^## Codes\n\n([\s\S]*?)\n## /m.exec(read('refusals')) ?? []
  const paid = codes.filter((code) => PAID_CODES.includes(code)).map((code) => `\`${code}\``)
  const groups = [...new Set(codes.map((code) => REMEDIES[code]))].map((remedy) => {
    const group = codes.filter((code) => REMEDIES[code] === remedy)
    return [`**${remedy}**\n`, ...group.map((code) => `- \`${code}\` ${REASONS[code]}`)].join('\n')
  })
  const money = `Money may have left after ${paid.join(', ')}, and after \`OFFER_CHANGED\` if the error says so.\n`
  expect(list).toBe([money, ...groups.map((group) => `${group}\n`)].join('\n'))
})

test('behavior: docs/agents.md says what to do for every code, once', () => {
  const [, rows = ''] = /\| do \| codes \|\n\|[-|]+\n((?:\|.*\n)*)/.exec(read('agents')) ?? []
  const named = [...rows.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code)
  expect(named.sort()).toEqual([...codes].sort())
})
