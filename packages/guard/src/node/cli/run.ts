import { nearestName } from '@touchstone402/shared'
import { LogError } from '@touchstone402/shared/log'
import about from '../../../package.json' with { type: 'json' }
import { ConfigurationError } from '../../errors.ts'
import { COMMANDS, NAME } from './commands.ts'
import { EXIT, type Io, readLine, UsageError } from './io.ts'

const NAMES = Object.keys(COMMANDS)

/** Runs one command line and returns its exit code. Never rejects. */
export async function run(argv: string[], io: Io): Promise<number> {
  // The longest: "proxy page" before "proxy".
  const name = NAMES.findLast((words) => words === argv.slice(0, words.split(' ').length).join(' '))
  const command = name === undefined ? undefined : COMMANDS[name]
  const args = argv.slice(name?.split(' ').length ?? 0)
  if (command === undefined) return runWithout(argv, io)
  if (args.includes('--help') || args.includes('-h')) {
    io.out(`${NAME} ${command.usage}\n\n${command.help}`)
    return EXIT.ok
  }
  try {
    return await command.run(readLine(command.usage, args), io)
  } catch (error) {
    // Something of the log was refused.
    const isLog = error instanceof LogError
    const message = error instanceof Error ? error.message : 'The command failed.'
    io.err(isLog ? `${error.code}: ${message}` : message)
    if (isLog) return EXIT.refused
    return isUsage(error) ? EXIT.usage : EXIT.failed
  }
}

/** Runs a command line that names no command. */
function runWithout(argv: string[], io: Io): number {
  if (argv.includes('--version')) {
    const { version } = about
    io.out(argv.includes('--json') ? JSON.stringify({ version }) : version)
    return EXIT.ok
  }
  const isHelp = argv.length === 0 || argv.includes('--help') || argv.includes('-h')
  const unknown = isHelp ? null : describeUnknown(argv)
  const text = [...(unknown === null ? [] : [unknown, '']), ...describeUsage(argv[0])].join('\n')
  ;(isHelp ? io.out : io.err)(text)
  return isHelp ? EXIT.ok : EXIT.usage
}

function isUsage(error: unknown): boolean {
  if (error instanceof UsageError || error instanceof ConfigurationError) return true
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}

/** Lists the commands of a group such as `map`, or all of them if there is no such group. */
function describeUsage(group: string | undefined): string[] {
  const listed = namesOf(group)
  const lines = Object.entries(COMMANDS)
    .filter(([name]) => listed.length === 0 || listed.includes(name))
    .map(([, { usage }]) => `  ${NAME} ${usage}`)
  const version = listed.length === 0 ? [`  ${NAME} --version`] : []
  return ['Usage:', ...lines, ...version, '', 'Run a command with --help for details.']
}

/** Returns an error for an unknown command, with the nearest one; null for a group alone. */
function describeUnknown([first = '', second]: readonly string[]): string | null {
  const group = namesOf(first)
  if (group.length === 0) return describeNearest(first, [...new Set(NAMES.map((name) => firstWord(name)))])
  return second === undefined || second.startsWith('-') ? null : describeNearest(`${first} ${second}`, group)
}

const firstWord = (name: string) => name.split(' ', 1)[0] ?? ''

/** Returns the names of a group's commands; none if it is no group. */
function namesOf(group: string | undefined): string[] {
  return NAMES.filter((name) => name !== group && firstWord(name) === group)
}

function describeNearest(given: string, known: readonly string[]): string {
  return `Unknown command ${JSON.stringify(given)}; nearest: ${nearestName(given, known).name}`
}
