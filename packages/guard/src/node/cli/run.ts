import { ConfigurationError } from '../../errors.ts'
import { check } from './check.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { mcp } from './mcp.ts'
import { pay } from './pay.ts'
import { explain, replay, verify } from './records.ts'

type Command = {
  usage: string
  help: string
  run: (args: string[], io: Io) => Promise<number>
}

const COMMANDS: Record<string, Command> = {
  check: {
    usage: 'check <url> [--service <url>] [--json]',
    help: `Shows the signed verdict of an endpoint.
Exit code: 0 safe, 1 caution, 2 avoid, 3 unknown or unavailable.

  touchstone check https://api.example.com/weather
  touchstone check https://api.example.com/weather --json`,
    run: check,
  },
  pay: {
    usage:
      'pay <url> [--method <m>] [--data <body>] [--policy <file>] [--ledger <file>] [--service <url>] [--json]',
    help: `Calls an endpoint and pays for it if the policy allows.
The key comes from PRIVATE_KEY, or from the file PRIVATE_KEY_FILE of mode 600.
Exit code: 0 paid and answered, 1 refused or failed.

  PRIVATE_KEY_FILE=~/.agent-key touchstone pay https://api.example.com/weather --ledger spending.jsonl`,
    run: pay,
  },
  mcp: {
    usage:
      'mcp [--policy <file>] [--ledger <file>] [--service <url>] [--port <n>] [--allow-private-hosts] [--json]',
    help: `Serves the guard's tools over MCP: on standard input and output, or with --port as Streamable HTTP on this
machine, where --json prints the address as JSON. Pays only with PRIVATE_KEY or PRIVATE_KEY_FILE. Reaches public
addresses and the service; with --allow-private-hosts, for development, also private ones.

  PRIVATE_KEY_FILE=~/.agent-key touchstone mcp --ledger spending.jsonl`,
    run: mcp,
  },
  'policy explain': {
    usage: 'policy explain [--policy <file>] [--json]',
    help: `Describes a policy, or the defaults, in plain sentences.

  touchstone policy explain --policy policy.json`,
    run: explain,
  },
  'policy replay': {
    usage: 'policy replay --policy <file> <ledger> [--json]',
    help: `Shows which recorded payments another policy would have blocked or allowed.

  touchstone policy replay --policy stricter.json spending.jsonl`,
    run: replay,
  },
  'ledger verify': {
    usage: 'ledger verify <ledger> [--json]',
    help: `Checks a ledger for missing or changed lines.
Exit code: 0 intact, 1 broken.

  touchstone ledger verify spending.jsonl`,
    run: verify,
  },
}

/** Runs one command line and returns its exit code. Never rejects. */
export async function run(argv: string[], io: Io): Promise<number> {
  const name = Object.keys(COMMANDS).find(
    (words) => words === argv.slice(0, words.split(' ').length).join(' '),
  )
  const command = name === undefined ? undefined : COMMANDS[name]
  const args = argv.slice(name?.split(' ').length ?? 0)
  if (command === undefined) {
    const isHelp = argv.length === 0 || argv.includes('--help') || argv.includes('-h')
    const lines = Object.values(COMMANDS).map(({ usage }) => `  touchstone ${usage}`)
    ;(isHelp ? io.out : io.err)(['Usage:', ...lines, '', 'Run a command with --help for details.'].join('\n'))
    return isHelp ? EXIT.ok : EXIT.usage
  }
  if (args.includes('--help') || args.includes('-h')) {
    io.out(`touchstone ${command.usage}\n\n${command.help}`)
    return EXIT.ok
  }
  try {
    return await command.run(args, io)
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The command failed.'
    io.err(message)
    return isUsage(error) ? EXIT.usage : EXIT.failed
  }
}

function isUsage(error: unknown): boolean {
  if (error instanceof UsageError || error instanceof ConfigurationError) return true
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
