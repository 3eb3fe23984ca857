import { type CommandLine, readCommandLine } from './app/commandLine.ts'
import { messageOf } from './errors.ts'

type Command = {
  readonly name: string
  /** Words that follow the name. @default none */
  readonly words?: string
  readonly about: string
  readonly run: (line: CommandLine) => Promise<unknown>
}

const { env } = process

// Each loads only what it needs.
const COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    words: '[--role api|worker|all] [--processes N]',
    about: 'runs the service (default)',
    run: async (line) => (await import('./app/commands/runServe.ts')).runServe(line),
  },
  {
    name: 'recompute',
    words: 'HOST',
    about: 'judges a host again from its looks',
    run: async ({ rest }) => (await import('./app/commands/runRecompute.ts')).runRecompute(rest, env),
  },
  {
    name: 'backup',
    words: 'DIR',
    about: 'copies the data folder, also while the service runs',
    run: async ({ rest }) => (await import('./app/commands/runBackup.ts')).runBackup(rest, env),
  },
  {
    name: 'restore',
    words: 'DIR',
    about: 'puts a back-up in the place of the data folder',
    run: async ({ rest }) => (await import('./app/commands/runRestore.ts')).runRestore(rest, env),
  },
  {
    name: 'witness',
    about: 'signs the logs of other services',
    run: async () => (await import('./app/commands/runWitness.ts')).runWitness(env),
  },
  {
    name: 'map',
    words: 'export DIR',
    about: 'writes the map of verdicts as static files',
    run: async ({ rest }) => (await import('./app/commands/runMap.ts')).runMap(rest, env),
  },
  {
    name: 'log',
    words: 'recompute URL --service URL --key KEY | forget INDEX',
    about: 'judges an endpoint from the public log; deletes an opening',
    run: async ({ rest }) => (await import('./app/commands/runLog.ts')).runLog(rest, env),
  },
  {
    name: 'webhooks',
    words: 'add HOST URL | list | remove ID',
    about: 'keeps the webhooks of hosts',
    run: async ({ rest }) => (await import('./app/commands/runWebhooks.ts')).runWebhooks(rest, env),
  },
  {
    name: 'disputes',
    words: 'list | publish ID --answer TEXT | reject ID',
    about: 'answers the disputes of sellers',
    run: async ({ rest, answer }) =>
      (await import('./app/commands/runDisputes.ts')).runDisputes(rest, answer, env),
  },
  {
    name: 'rotate-keys',
    about: 'replaces the key that signs verdicts',
    run: async () => (await import('./app/commands/runRotateKeys.ts')).runRotateKeys(env),
  },
  {
    name: 'migrate',
    about: 'brings the database up to this version',
    run: async () => (await import('./app/commands/runDatabaseCommand.ts')).runMigrate(env),
  },
  {
    name: 'copy',
    about: 'copies the data folder into the database',
    run: async () => (await import('./app/commands/runDatabaseCommand.ts')).runCopy(env),
  },
]

const usage = () =>
  [
    'touchstone-server COMMAND; settings come from the environment (docs/operations.md)',
    ...COMMANDS.map(({ name, words, about }) => `  ${[name, words].filter(Boolean).join(' ')}: ${about}`),
  ].join('\n')

async function run(line: CommandLine): Promise<unknown> {
  if (line.isHelp || line.command === 'help') return usage()
  const known = COMMANDS.find(({ name }) => name === line.command)
  if (known === undefined) {
    const names = COMMANDS.map(({ name }) => name).join(', ')
    throw new Error(`there is no command "${line.command}": use ${names}`)
  }
  const takesWords = known.words !== undefined && known.name !== 'serve'
  if (!takesWords && line.rest.length > 0) throw new Error(`${known.name} takes no further words`)
  return known.run(line)
}

try {
  const result = await run(readCommandLine(process.argv.slice(2)))
  if (typeof result === 'number') process.exitCode = result
  if (typeof result === 'string') process.stdout.write(`${result}\n`)
} catch (error) {
  for (const line of messageOf(error).split('\n')) process.stderr.write(`touchstone-server: ${line}\n`)
  process.exit(1)
}
