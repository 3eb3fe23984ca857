// Prints what failed in the reports of `npm test` and `npm run check`, and counts their tests in the last line.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

const REPORTS = [
  { name: 'tests', title: 'Node' },
  { name: 'node24', title: 'Node 24' },
]

/** Reads the results of a report by file: passed tests, failed tests, and what broke the file as a whole. */
function readReport(path) {
  if (!existsSync(path)) return []
  const { testResults } = JSON.parse(readFileSync(path, 'utf8'))
  return testResults.map(({ name, status, message, assertionResults: tests }) => {
    // A test that was skipped or never ran counts as failed.
    const failed = tests.filter((test) => test.status !== 'passed')
    const broken = failed.length === 0 && status === 'failed' ? message || 'failed as a whole' : undefined
    return { file: relative(process.cwd(), name), passed: tests.length - failed.length, failed, broken }
  })
}

const counts = REPORTS.map(({ name, title }) => {
  const results = readReport(`.report/${name}.json`)
  const failing = results.filter(({ failed, broken }) => failed.length > 0 || broken !== undefined)
  for (const { file, failed, broken } of failing) {
    console.log(`\n${title}: ${file} ${broken ?? ''}`)
    for (const { status, fullName, failureMessages } of failed)
      console.log(`  ${status}: ${fullName}\n    ${failureMessages.join('\n').slice(0, 1500)}`)
  }
  return {
    title,
    passed: results.reduce((sum, result) => sum + result.passed, 0),
    failed: failing.reduce((sum, { failed }) => sum + Math.max(1, failed.length), 0),
  }
})
for (const { title, passed, failed } of counts) console.log(`${title}: ${passed} passed, ${failed} failed`)
const total = (key) => counts.reduce((sum, count) => sum + count[key], 0)
console.log(`${total('passed')} passed, ${total('failed')} failed`)
process.exit(total('failed') === 0 && counts.every(({ passed }) => passed > 0) ? 0 : 1)
