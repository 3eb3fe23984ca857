// Says what failed, and counts: from the test runner's own reports, a file's later report in place of its earlier one.
// `--failed` prints the files that failed instead, for another run of them.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** Of a file: its tests, and what broke it as a whole, such as an import that failed. */
function readReport(path) {
  const { testResults } = JSON.parse(readFileSync(path, 'utf8'))
  return testResults.map(({ name, status, message, assertionResults: tests }) => {
    // A test that was skipped, or never came to run, counts as a failure.
    const failed = tests.filter((test) => test.status !== 'passed')
    const broken = failed.length === 0 && status === 'failed' ? message || 'failed as a whole' : undefined
    return { file: relative(process.cwd(), name), passed: tests.length - failed.length, failed, broken }
  })
}
const isFailed = ({ failed, broken }) => failed.length > 0 || broken !== undefined

const [first = [], again = []] = ['.report/first.json', '.report/tests.json']
  .filter((path) => existsSync(path))
  .map(readReport)
const results = [...new Map([...first, ...again].map((result) => [result.file, result])).values()]
const failing = results.filter(isFailed)

if (process.argv.includes('--failed')) {
  console.log(failing.map(({ file }) => file).join('\n'))
} else {
  for (const { file } of again.filter((result) => !isFailed(result)))
    console.log(`failed beside others, passed alone: ${file}`)
  for (const { file, failed, broken } of failing) {
    console.log(`\n${file} ${broken ?? ''}`)
    for (const { status, fullName, failureMessages } of failed)
      console.log(`  ${status}: ${fullName}\n    ${failureMessages.join('\n').slice(0, 1500)}`)
  }
  const passed = results.reduce((sum, result) => sum + result.passed, 0)
  const failures = failing.reduce((sum, { failed }) => sum + Math.max(1, failed.length), 0)
  console.log(`${passed} passed, ${failures} failed`)
  process.exit(failures === 0 && passed > 0 ? 0 : 1)
}
