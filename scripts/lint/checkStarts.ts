// Fails if a push test starts a process, browser, service or database that `pushStarts.ts` neither shares nor excepts.
import { fileURLToPath } from 'node:url'
import { listTests, suiteOf } from '../suites.mjs'
import { createStartFinder } from './findStarts.ts'
import { judgeStarts } from './judgeStarts.ts'
import { AFTER_FAULT, EXCEPTIONS, MOST_END_TO_END, MOST_UNIT, SHARED, STARTERS } from './pushStarts.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const files = listTests().filter((file) => suiteOf(file) === 'push')
const find = createStartFinder({ root, starters: STARTERS, shared: [...SHARED, ...AFTER_FAULT] })
const starts = new Map(files.map((file) => [file, find(file)]))
const problems = judgeStarts(starts, {
  exceptions: EXCEPTIONS,
  mostEndToEnd: MOST_END_TO_END,
  mostUnit: MOST_UNIT,
})
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.stdout.write(`${files.length} push tests, ${problems.length} violations\n`)
process.exit(files.length > 0 && problems.length === 0 ? 0 : 1)
