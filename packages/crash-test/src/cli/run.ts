import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { readCertificate, writeCertificate } from '../certificate/certificate.ts'
import { LEAGUE } from '../league/clients.ts'
import { runLeague } from '../league/runLeague.ts'
import { runCrashTest } from '../runCrashTest.ts'
import { CATEGORIES } from '../types.ts'
import { explain, formatLeague, formatReport } from './formatTable.ts'
import { HELP } from './help.ts'
import { KEY_VARIABLE, readArguments } from './readArguments.ts'

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
    io.out(readVersion())
    return EXIT.held
  }
  if (read.kind === 'problem') {
    io.err(`${read.message}\nRun with --help for details.`)
    return EXIT.noResult
  }
  try {
    if (read.kind === 'verify') return await showCertificate(read, io)
    return await (read.kind === 'league' ? showLeague(read, io) : showCommand(read, io))
  } catch (error) {
    if (io.signal.aborted) return EXIT.interrupted
    io.err(error instanceof Error ? error.message : 'The crash test failed.')
    return EXIT.noResult
  }
}

function readVersion(): string {
  return String(createRequire(import.meta.url)('@touchstone402/crash-test/package.json').version)
}

type Given<Kind> = Extract<ReturnType<typeof readArguments>, { kind: Kind }>

/** Tests the command of the caller. */
async function showCommand(given: Given<'run'>, io: Io): Promise<number> {
  const { command, only, timeoutMs, keep, isJson, certificate } = given
  let output = ''
  const report = await runCrashTest({
    command,
    timeoutMs,
    keep,
    env: io.env,
    signal: io.signal,
    ...(only && { only }),
    onResult: ({ category, result }) => io.err(`${category}: ${result.replace('_', ' ')}`),
    onOutput: (text) => {
      output = text
    },
  })
  io.out(isJson ? JSON.stringify(report, null, 2) : formatReport(report))
  if (report.problem !== null) io.err(explain(report.problem, output))
  if (certificate !== undefined) {
    const certified = { report, command, version: readVersion(), at: new Date() }
    await writeFile(certificate, await writeCertificate(certified, io.env[KEY_VARIABLE]))
    io.err(`Certificate: ${certificate}`)
  }
  if (report.drained > 0) return EXIT.drained
  return report.problem === null ? EXIT.held : EXIT.noResult
}

/** Verifies a certificate and shows it. */
async function showCertificate({ file, key }: Given<'verify'>, io: Io): Promise<number> {
  const opened = await readCertificate(await readFile(file, 'utf8'), key)
  io.out(opened.text)
  const own =
    'It is unchanged since the key that it names itself signed it, which proves no origin: give --key.'
  io.out(key === undefined ? own : `Signed by ${opened.key}. Its holder says so; nothing more is proved.`)
  return EXIT.held
}

/** Tests the stock clients and the guard. */
async function showLeague({ only, timeoutMs, isJson }: Given<'league'>, io: Io): Promise<number> {
  const attacks = only?.length ?? CATEGORIES.length
  io.err(
    `Sends ${LEAGUE.length} paying clients to ${attacks} hostile sellers on this machine, without a chain or real money. Takes about a minute.`,
  )
  let done = 0
  const all = LEAGUE.length * attacks
  const report = await runLeague({
    timeoutMs,
    env: io.env,
    signal: io.signal,
    ...(only && { only }),
    onCategory() {
      done += 1
      if (done % Math.ceil(all / 10) === 0) io.err(`${Math.floor((100 * done) / all)} %`)
    },
  })
  io.out(isJson ? JSON.stringify(report, null, 2) : formatLeague(report))
  const guarded = report.clients.filter((client) => client.guarded)
  if (guarded.some(({ drained }) => drained > 0)) return EXIT.drained
  return guarded.some(({ notRun }) => notRun === null) ? EXIT.held : EXIT.noResult
}
