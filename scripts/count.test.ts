import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from './docs/shellLines.ts'

type Status = 'passed' | 'failed' | 'skipped'
type File = { readonly tests: readonly Status[]; readonly message?: string }

/** Runs the script on reports, given by name and then by test file. */
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
  const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'scripts/count.mjs')], {
    cwd,
    encoding: 'utf8',
  })
  return { status, lines: stdout.trimEnd().split('\n') }
}
const passed: File = { tests: ['passed', 'passed'] }
const failed: File = { tests: ['passed', 'failed'] }

test('default: adds up the tests of both reports', () => {
  expect(count({ tests: { 'a.test.ts': passed }, node24: { 'a.test.ts': passed } })).toEqual({
    status: 0,
    lines: ['Node: 2 passed, 0 failed', 'Node 24: 2 passed, 0 failed', '4 passed, 0 failed'],
  })
})

test.each<[string, File]>([
  ['a failed test', failed],
  ['a skipped test', { tests: ['passed', 'skipped'] }],
  ['a file that does not load', { tests: ['passed'], message: 'no import' }],
])('error: %s counts as a failure', (_, file) => {
  const { status, lines } = count({ tests: { 'a.test.ts': file }, node24: { 'a.test.ts': passed } })
  expect([status, lines.at(-1)]).toEqual([1, '3 passed, 1 failed'])
})

test('error: a missing report fails', () => {
  const { status, lines } = count({ tests: { 'a.test.ts': passed } })
  expect([status, lines.at(-1)]).toEqual([1, '2 passed, 0 failed'])
})
