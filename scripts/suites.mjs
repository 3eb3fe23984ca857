// Runs a suite of tests and keeps its reports in `.report`.
import { run } from './setup.mjs'

/** Projects of `vitest.config.ts` that each suite runs. */
export const SUITES = {
  push: ['unit', 'e2e'],
  release: ['release-unit', 'release-e2e'],
  nightly: ['nightly-unit', 'nightly-e2e'],
}

/**
 * Runs a suite, or the part of it that `args` of Vitest name. Ends with the slowest files.
 * @returns the exit code
 */
export function runSuite(name, args = []) {
  const projects = args.includes('--project') ? [] : SUITES[name].flatMap((project) => ['--project', project])
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
