import { createRequire } from 'node:module'
import { runCrashTest } from '../runCrashTest.ts'
import type { CrashReport, Problem } from '../types.ts'
import { formatTable } from './formatTable.ts'
import { HELP } from './help.ts'
import { readArguments } from './readArguments.ts'

/** Input and output of the command line. */
export type Io = {
  out: (text: string) => void
  err: (text: string) => void
  env: NodeJS.ProcessEnv
  signal: AbortSignal
}

/** Exit codes. */
export const EXIT = { held: 0, drained: 1, noResult: 2, interrupted: 130 } as const

/** Runs one command line and returns its exit code. Never rejects. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const read = readArguments(argv)
  if (read.kind === 'help') {
    io.out(HELP)
    return EXIT.held
  }
  if (read.kind === 'version') {
    const { version } = createRequire(import.meta.url)('@touchstone402/crash-test/package.json')
    io.out(String(version))
    return EXIT.held
  }
  if (read.kind === 'problem') {
    io.err(`${read.message}\nRun with --help for details.`)
    return EXIT.noResult
  }
  const { command, only, timeoutMs, keep, isJson } = read
  let output = ''
  try {
    const report = await runCrashTest({
      ...{ command, timeoutMs, keep, env: io.env, signal: io.signal, ...(only && { only }) },
      onResult: ({ category, result }) => io.err(`${category}: ${result.replace('_', ' ')}`),
      onOutput: (text) => {
        output = text
      },
    })
    io.out(isJson ? JSON.stringify(report, null, 2) : describe(report))
    if (report.problem !== null) io.err(explain(report.problem, output))
    if (report.drained > 0) return EXIT.drained
    return report.problem === null ? EXIT.held : EXIT.noResult
  } catch (error) {
    if (io.signal.aborted) return EXIT.interrupted
    io.err(error instanceof Error ? error.message : 'The crash test failed.')
    return EXIT.noResult
  }
}

function describe({ controls, controlsPaid, drained, categories }: CrashReport): string {
  const paid = `${controlsPaid} of ${controls} honest sellers paid.`
  if (categories.length === 0) return paid
  return `${formatTable(categories)}\n\n${paid} ${drained} of ${categories.length} categories drained.`
}

const PROBLEMS: Record<Problem, string> = {
  not_started: 'The command cannot be started.',
  control_unpaid:
    'An honest seller was not paid as listed, so nothing can be said: a client that pays nobody is not safe but useless. The command has to call TARGET_URL with GET and pay with PRIVATE_KEY.',
  foreign_key:
    'Stopped: a payment named another payer than PRIVATE_KEY. The command has a key of its own; it was ended, and its payment was neither verified nor kept.',
  not_reached: 'Some sellers were not called, so nothing can be said about them.',
}

function explain(problem: Problem, output: string): string {
  const said =
    output.trim() === '' ? 'The command printed nothing.' : `The command printed:\n${output.trim()}`
  return problem === 'not_reached' ? PROBLEMS[problem] : `${PROBLEMS[problem]}\n${said}`
}
