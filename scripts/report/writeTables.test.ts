import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../docs/shellLines.ts'
import { listTests } from '../suites.mjs'
import promises from './promises.json' with { type: 'json' }
import { readTakes, replacePart, writePromises, writeSuites } from './tables.mjs'
import { writeTables } from './writeTables.mjs'

const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')

test('default: CONTRIBUTING has the tables that `node scripts/report/writeTables.mjs` writes', () => {
  expect(page).toBe(writeTables(page, { files: listTests(), takes: readTakes(page), promises }))
})

test('default: every test and campaign that holds a promise exists', () => {
  expect(promises.length).toBeGreaterThan(30)
  for (const { promise, tests, campaigns = [] } of promises) {
    expect([promise, tests.filter((path) => !existsSync(join(ROOT, path)))]).toEqual([promise, []])
    const missing = campaigns.filter(
      (name) => !['.ts', '/index.ts'].some((end) => existsSync(join(ROOT, 'e2e/campaigns', name + end))),
    )
    expect([promise, missing]).toEqual([promise, []])
    expect(tests.length + campaigns.length).toBeGreaterThan(0)
  }
})

test('behavior: a suite has its files by their names, and keeps what it took', () => {
  const files = ['a.test.ts', 'b.release.test.ts', 'c.test.ts', 'd.nightly.test.ts']
  const table = writeSuites(files, { push: '200 s (5 tests)' })
  expect(table).toMatch(/^\| push \| `npm test` \| .* \| 2 \| 200 s \(5 tests\) \|$/m)
  expect(table).toMatch(/^\| release .* \| 1 \| {2}\|$/m)
  expect(readTakes(table)).toMatchObject({ push: '200 s (5 tests)', release: '' })
})

test('behavior: a promise is part of the suites of its tests', () => {
  const promise = { promise: 'it pays', tests: ['a.test.ts', 'b.release.test.ts'], campaigns: ['kill'] }
  expect(writePromises([promise])).toContain(
    '| it pays | `a.test.ts`, `b.release.test.ts`, campaign `kill` | push, release, nightly |',
  )
})

test('error: a page without a part is named', () => {
  expect(() => replacePart('# Page', 'suites', '')).toThrow('the page has no part suites')
})
