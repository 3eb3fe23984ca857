// Says what failed, and counts: from the test runner's own report, once every step has run.
import { readFileSync } from 'node:fs'

const report = JSON.parse(readFileSync('.report/tests.json', 'utf8'))
const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = report
// A file that fails before its first test, and a test that was skipped, count as failures.
const broken = testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
).length
// What failed is said again here, at the end, where it is not buried under the steps that followed.
for (const file of testResults) {
  const failing = file.assertionResults.filter((test) => test.status !== 'passed')
  if (file.status === 'failed' || failing.length > 0)
    console.log(`\n${file.name.slice(process.cwd().length + 1)}  ${failing.length === 0 ? file.message : ''}`)
  for (const test of failing)
    console.log(`  ${test.status}: ${test.fullName}\n    ${test.failureMessages.join('\n').slice(0, 1500)}`)
}
const failures = numFailedTests + broken + numPendingTests + numTodoTests
console.log(`${numPassedTests} passed, ${failures} failed`)
process.exit(failures === 0 && numPassedTests > 0 ? 0 : 1)
