// Fails if a push test starts a process, a browser, a service or a database of its own that `pushStarts.ts` does not name.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createStartFinder } from './findStarts.ts'
import { judgeStarts } from './judgeStarts.ts'
import { EXCEPTIONS, MOST_END_TO_END, MOST_UNIT, SHARED, STARTERS } from './pushStarts.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'], {
  cwd: root,
  encoding: 'utf8',
})
const files = listed.stdout
  .split('\n')
  .filter((file) => file !== '' && !/\.(release|nightly)\.test\.ts$/.test(file))
const find = createStartFinder({ root, starters: STARTERS, shared: SHARED })
const starts = new Map(files.map((file) => [file, find(file)]))
const problems = judgeStarts(starts, {
  exceptions: EXCEPTIONS,
  mostEndToEnd: MOST_END_TO_END,
  mostUnit: MOST_UNIT,
})
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.stdout.write(`${files.length} push tests, ${problems.length} violations\n`)
process.exit(files.length > 0 && problems.length === 0 ? 0 : 1)
