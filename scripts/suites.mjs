// Runs a suite of tests and keeps its reports in `.report`.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './setup.mjs'

/** Projects of `vitest.config.ts` that each suite runs. */
const PROJECTS = {
  push: ['unit', 'e2e'],
  release: ['release-unit', 'release-e2e'],
  nightly: ['nightly-unit', 'nightly-e2e'],
}

/** Returns the options of Vitest that select suites. */
export const projectsOf = (...names) =>
  names.flatMap((name) => PROJECTS[name]).flatMap((project) => ['--project', project])

/**
 * Runs a suite, or the part of it that `args` of Vitest name. Ends with the slowest files.
 * @returns the exit code
 */
export function runSuite(name, args = []) {
  const projects = args.includes('--project') ? [] : projectsOf(name)
  const reports = [
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=.report/${name}.json`,
    '--reporter=./scripts/report/slowestFiles.ts',
  ]
  return run('npx', ['vitest', 'run', ...reports, ...projects, ...args], {
    stdout: 1,
    env: { FILE_TIMES: `.report/${name}-files.json` },
  })
}

/** Returns the suite of a test file, by its name. */
export const suiteOf = (file) => /\.(release|nightly)\.test\.ts$/.exec(file)?.[1] ?? 'push'

/** Lists the test files of the project. */
export function listTests(below = '') {
  return readdirSync(join(root, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name)
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : listTests(path)
    return entry.name.endsWith('.test.ts') ? [path] : []
  })
}
const SKIPPED = new Set(['node_modules', 'dist', '.git', '.cache', '.report'])
