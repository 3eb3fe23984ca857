// Runs a suite of tests and keeps its reports in `.report`.
import { run } from './setup.mjs'

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
