import {
  type Command,
  CommandLineError,
  describeCommands,
  describeHelp,
  describeUnknown,
  findCommand,
  listGroup,
} from '@touchstone402/shared/command-line'
import { LogError } from '@touchstone402/transparency'
import about from '../../../package.json' with { type: 'json' }
import { ConfigurationError } from '../../errors.ts'
import { NAME } from './declare.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { PAY_COMMANDS } from './payCommands.ts'
import { RECORD_COMMANDS } from './recordCommands.ts'
import { SERVE_COMMANDS } from './serveCommands.ts'

/** The commands. Their details hold exit codes, the fields of `--json` and an example. */
export const COMMANDS: readonly Command<Io, number>[] = [
  ...PAY_COMMANDS,
  ...SERVE_COMMANDS,
  ...RECORD_COMMANDS,
]

/** Runs one command line and returns its exit code. Never rejects. */
export async function run(argv: string[], io: Io): Promise<number> {
  const found = findCommand(COMMANDS, argv)
  if (found === undefined) return runWithout(argv, io)
  const { command, rest } = found
  if (rest.includes('--help') || rest.includes('-h')) {
    io.out(describeHelp(NAME, command))
    return EXIT.ok
  }
  try {
    return await command.run(rest, io)
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
  const unknown = isHelp ? [] : [describeUnknown(COMMANDS, argv), '']
  const text = [...unknown, ...describeUsage(argv[0])].join('\n')
  ;(isHelp ? io.out : io.err)(text)
  return isHelp ? EXIT.ok : EXIT.usage
}

const isUsage = (error: unknown): boolean =>
  error instanceof UsageError || error instanceof CommandLineError || error instanceof ConfigurationError

/** Lists the commands of a group such as `map`, or all of them if there is no such group. */
function describeUsage(name: string | undefined): string[] {
  const group = listGroup(COMMANDS, name)
  return [
    'Usage:',
    describeCommands(NAME, group.length > 0 ? group : COMMANDS),
    ...(group.length > 0 ? [] : [`  ${NAME} --version`]),
    '',
    'Run a command with --help for details.',
  ]
}
