import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ATTACKS } from './attacks/index.ts'
import { GIVEN, KEPT } from './command/environment.ts'
import { CATEGORIES } from './types.ts'

const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const table = (head: string, rows: readonly string[]) =>
  [head, head.replaceAll(/[^|]+/g, '---'), ...rows].join('\n')

test('default: the README describes every attack as the code does', () => {
  expect(ATTACKS.map(({ category }) => category)).toEqual(CATEGORIES)
  const rows = ATTACKS.map(({ category, careful, drains }) => `| \`${category}\` | ${careful} | ${drains} |`)
  expect(page).toContain(table('| attack | a careful client | drained if |', rows))
})

test('default: the README names every variable that the command gets', () => {
  const rows = Object.entries(GIVEN).map(([name, text]) => `| \`${name}\` | ${text} |`)
  expect(page).toContain(table('| variable | |', rows))
  for (const name of KEPT) expect(page).toContain(`\`${name}\``)
})

test('behavior: no sentence breaks a row', () => {
  for (const { attack, careful, drains } of ATTACKS) {
    expect(`${attack}${careful}${drains}`).not.toMatch(/[|\n]/)
    expect([attack, careful].every((text) => /^[A-Z].*\.$/.test(text))).toBe(true)
  }
})
