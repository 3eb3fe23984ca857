import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { countReports } from './count.mjs'

type Status = 'passed' | 'failed' | 'skipped'
type File = { readonly tests: readonly Status[]; readonly message?: string }

/** Counts reports, given by name and then by test file. */
function count(reports: Readonly<Record<string, Readonly<Record<string, File>>>>) {
  const cwd = mkdtempSync(join(tmpdir(), 'touchstone-count-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  mkdirSync(join(cwd, '.report'))
  for (const [name, files] of Object.entries(reports)) {
    const testResults = Object.entries(files).map(([file, { tests, message }]) => ({
      name: join(cwd, file),
      status: message !== undefined || tests.includes('failed') ? 'failed' : 'passed',
      message: message ?? '',
      assertionResults: tests.map((status) => ({ status, fullName: 'it holds', failureMessages: [] })),
    }))
    writeFileSync(join(cwd, `.report/${name}.json`), JSON.stringify({ testResults }))
  }
  return countReports(cwd)
}
const passed: File = { tests: ['passed', 'passed'] }
const failed: File = { tests: ['passed', 'failed'] }

test('default: adds up the tests of all reports', () => {
  expect(
    count({
      push: { 'a.test.ts': passed },
      release: { 'b.release.test.ts': passed },
      node24: { 'a.test.ts': passed },
    }),
  ).toEqual({
    isWhole: true,
    lines: [
      'push: 2 passed, 0 failed',
      'release: 2 passed, 0 failed',
      'Node 24: 2 passed, 0 failed',
      '6 passed, 0 failed',
    ],
  })
})

test.each<[string, File]>([
  ['a failed test', failed],
  ['a skipped test', { tests: ['passed', 'skipped'] }],
  ['a file that does not load', { tests: ['passed'], message: 'no import' }],
])('error: %s counts as a failure', (_, file) => {
  const { isWhole, lines } = count({
    push: { 'a.test.ts': file },
    release: { 'b.release.test.ts': passed },
    node24: { 'a.test.ts': passed },
  })
  expect([isWhole, lines.at(-1)]).toEqual([false, '5 passed, 1 failed'])
})

test('error: a missing report fails', () => {
  const { isWhole, lines } = count({ push: { 'a.test.ts': passed }, node24: { 'a.test.ts': passed } })
  expect([isWhole, lines.at(-1)]).toEqual([false, '4 passed, 0 failed'])
})
