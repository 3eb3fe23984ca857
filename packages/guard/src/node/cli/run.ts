import { createRequire } from 'node:module'
import { ConfigurationError } from '../../errors.ts'
import { check } from './check.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { mcp } from './mcp.ts'
import { pay } from './pay.ts'
import { compact, explain, replay, verify } from './records.ts'
import { budget, pins, stop, strikes } from './spending.ts'

type Command = {
  usage: string
  /** What it does, its exit codes, the fields of `--json`, and an example. */
  help: string
  run: (args: string[], io: Io) => Promise<number>
}

const NAME = 'npx @touchstone402/guard'
const LEDGER = 'The ledger is the file --ledger, or TOUCHSTONE_LEDGER, or ~/.touchstone/spending.jsonl.'

const COMMANDS: Record<string, Command> = {
  check: {
    usage: 'check <url> [--service <url>] [--json]',
    help: `Shows the signed verdict of an endpoint, and why.
Exit code: 0 safe, 1 caution, 2 avoid, 3 unknown or unavailable.
JSON: endpoint, state, verdict (as signed), why (a sentence for each flag), terms (with maxUsd); or detail if unavailable.

  ${NAME} check https://api.example.com/weather
  ${NAME} check https://api.example.com/weather --json`,
    run: check,
  },
  pay: {
    usage:
      'pay <url> [--max-usd <dollars>] [--method <m>] [--data <body>] [--policy <file>] [--ledger <file>] [--service <url>] [--json]',
    help: `Calls an endpoint and pays for it if the policy allows.
The key comes from PRIVATE_KEY, or from the file PRIVATE_KEY_FILE of mode 600. At most 1 MiB of the body is shown.
${LEDGER}
Exit code: 0 paid and answered, 1 refused or failed.
JSON: status, amountUsd (null if nothing was paid), transaction (null if not confirmed), remainingTodayUsd, resetsAt,
truncated, body; or refused (a code), reason, message and intent, with the same amounts.

  PRIVATE_KEY_FILE=~/.agent-key ${NAME} pay https://api.example.com/weather --max-usd 0.05`,
    run: pay,
  },
  budget: {
    usage: 'budget [--policy <file>] [--ledger <file>] [--json]',
    help: `Shows what is spent, reserved and left of each budget.
${LEDGER}
JSON: isStopped, perPaymentUsd, and day, total, unknown, hosts, receivers and unknownDomains, whose lines have limitUsd,
spentUsd, reservedUsd, remainingUsd and resetsAt.

  ${NAME} budget --policy policy.json`,
    run: budget,
  },
  strikes: {
    usage: 'strikes [--clear <host>] [--ledger <file>] [--json]',
    help: `Lists endpoints that were paid and did not deliver, or forgets those of a host.
${LEDGER}
JSON: cleared (a host or null), strikes (endpoint and at, in ms since 1970).

  ${NAME} strikes --clear api.example.com`,
    run: strikes,
  },
  pins: {
    usage: 'pins [--clear <host>] [--ledger <file>] [--json]',
    help: `Lists the pinned receivers, or forgets those of a host.
${LEDGER}
JSON: cleared (a host or null), pins (endpoint, network, asset and payTo).

  ${NAME} pins --clear api.example.com`,
    run: pins,
  },
  stop: {
    usage: 'stop [--resume] [--ledger <file>] [--json]',
    help: `Stops the payments of every process that shares the ledger, before the next signature. --resume allows them again.
A file STOP beside the ledger does the same.
${LEDGER}
JSON: isStopped.

  ${NAME} stop`,
    run: stop,
  },
  mcp: {
    usage:
      'mcp [--policy <file>] [--ledger <file>] [--service <url>] [--port <n>] [--allow-private-hosts] [--json]',
    help: `Serves the guard's tools over MCP: on standard input and output, or with --port as Streamable HTTP on this
machine, where --json prints the address as JSON. Pays only with PRIVATE_KEY or PRIVATE_KEY_FILE. Reaches public
addresses and the service; with --allow-private-hosts, for development, also private ones.
JSON: url.

  PRIVATE_KEY_FILE=~/.agent-key ${NAME} mcp --ledger spending.jsonl`,
    run: mcp,
  },
  'policy explain': {
    usage: 'policy explain [--policy <file>] [--json]',
    help: `Describes a policy, or the defaults, in plain sentences.
JSON: policy (with defaults), lines.

  ${NAME} policy explain --policy policy.json`,
    run: explain,
  },
  'policy replay': {
    usage: 'policy replay --policy <file> <ledger> [--json]',
    help: `Shows which recorded payments another policy would have blocked or allowed.
JSON: payments, blocked (at, endpoint, amountUsd, code), asked, allowed (at, endpoint, amountUsd), savedUsd.

  ${NAME} policy replay --policy stricter.json spending.jsonl`,
    run: replay,
  },
  'ledger verify': {
    usage: 'ledger verify <ledger> [--json]',
    help: `Checks a ledger for missing or changed lines.
Exit code: 0 intact, 1 broken.
JSON: ok, files, lines, unreadable, writers, brokenIn and brokenAt (file and line, or null), events (their number).

  ${NAME} ledger verify spending.jsonl`,
    run: verify,
  },
  'ledger compact': {
    usage: 'ledger compact <ledger> [--json]',
    help: `Seals the file of a ledger and continues in a new one, which opens fast. Happens by itself every 20,000 lines.
The old file is needed for audits only.
JSON: lines (of all files before), files.

  ${NAME} ledger compact spending.jsonl`,
    run: compact,
  },
}

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
    return await command.run(args, io)
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
  const lines = Object.values(COMMANDS).map(({ usage }) => `  ${NAME} ${usage}`)
  const text = ['Usage:', ...lines, `  ${NAME} --version`, '', 'Run a command with --help for details.']
  ;(isHelp ? io.out : io.err)(text.join('\n'))
  return isHelp ? EXIT.ok : EXIT.usage
}

function isUsage(error: unknown): boolean {
  if (error instanceof UsageError || error instanceof ConfigurationError) return true
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
