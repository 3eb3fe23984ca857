import { createRequire } from 'node:module'
import { ConfigurationError } from '../../errors.ts'
import { COMMANDS, NAME } from './commands.ts'
import { EXIT, type Io, readLine, UsageError } from './io.ts'
import { describeUnknown, describeUsage } from './usage.ts'

/** Runs one command line and returns its exit code. Never rejects. */
export async function run(argv: string[], io: Io): Promise<number> {
  const name = Object.keys(COMMANDS).find(
    (words) => words === argv.slice(0, words.split(' ').length).join(' '),
  )
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
    const message = error instanceof Error ? error.message : 'The command failed.'
    io.err(message)
    return isUsage(error) ? EXIT.usage : EXIT.failed
  }
}

/** Runs a command line that names no command. */
function runWithout(argv: string[], io: Io): number {
  if (argv.includes('--version')) {
    const { version } = createRequire(import.meta.url)('@touchstone402/guard/package.json')
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
