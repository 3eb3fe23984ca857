// Prints what failed in the reports of `npm test`, `npm run test:release` and `npm run check`, and counts their tests in
// the last line.
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

const REPORTS = [
  { name: 'push', title: 'push' },
  { name: 'release', title: 'release' },
  { name: 'node24', title: 'Node 24' },
]

/** Reads the results of a report by file: passed tests, failed tests, and what broke the file as a whole. */
function readReport(root, name) {
  const path = join(root, `.report/${name}.json`)
  if (!existsSync(path)) return []
  const { testResults } = JSON.parse(readFileSync(path, 'utf8'))
  return testResults.map(({ name: path, status, message, assertionResults: tests }) => {
    // A test that was skipped or never ran counts as failed.
    const failed = tests.filter((test) => test.status !== 'passed')
    const broken = failed.length === 0 && status === 'failed' ? message || 'failed as a whole' : undefined
    return { file: relative(root, path), passed: tests.length - failed.length, failed, broken }
  })
}

/**
 * Counts the tests in the reports below a folder.
 * @returns the lines to print, and whether every report is there and nothing failed
 */
export function countReports(root) {
  const lines = []
  const counts = REPORTS.map(({ name, title }) => {
    const results = readReport(root, name)
    const failing = results.filter(({ failed, broken }) => failed.length > 0 || broken !== undefined)
    for (const { file, failed, broken } of failing) {
      lines.push('', `${title}: ${file} ${broken ?? ''}`)
      for (const { status, fullName, failureMessages } of failed)
        lines.push(`  ${status}: ${fullName}`, `    ${failureMessages.join('\n').slice(0, 1500)}`)
    }
    return {
      title,
      passed: results.reduce((sum, result) => sum + result.passed, 0),
      failed: failing.reduce((sum, { failed }) => sum + Math.max(1, failed.length), 0),
    }
  })
  for (const { title, passed, failed } of counts) lines.push(`${title}: ${passed} passed, ${failed} failed`)
  const total = (key) => counts.reduce((sum, count) => sum + count[key], 0)
  lines.push(`${total('passed')} passed, ${total('failed')} failed`)
  return { lines, isWhole: total('failed') === 0 && counts.every(({ passed }) => passed > 0) }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { lines, isWhole } = countReports(process.cwd())
  console.log(lines.join('\n'))
  process.exit(isWhole ? 0 : 1)
}
