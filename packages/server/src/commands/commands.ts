import { createRequire } from 'node:module'
import type { Environment } from '../config/storageSettings.ts'
import type { Output } from '../lib/output.ts'
import { type CommandLine, readCommandLine } from './commandLine.ts'

type Command = {
  readonly name: string
  /** Words that follow the name. @default none */
  readonly words?: string
  readonly about: string
  /** Returns what to print, or an exit code. */
  readonly run: (line: CommandLine, env: Environment, output: Output) => Promise<unknown>
}

// Each loads only what it needs.
const COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    words: '[--role api|worker|all] [--processes N]',
    about: 'runs the service (default)',
    run: async (line, env, output) => (await import('./runServe.ts')).runServe(line, env, output),
  },
  {
    name: 'doctor',
    about: 'checks what the service needs before it starts; changes nothing',
    run: async (_, env, output) => (await import('./doctor/runDoctor.ts')).runDoctor(env, output),
  },
  {
    name: 'recompute',
    words: 'HOST',
    about: 'judges a host again from its probes',
    run: async ({ rest }, env, output) => (await import('./runRecompute.ts')).runRecompute(rest, env, output),
  },
  {
    name: 'backup',
    words: 'FILE',
    about: 'copies the store of the data folder, also while the service runs',
    run: async ({ rest }, env) => (await import('./runBackup.ts')).runBackup(rest, env),
  },
  {
    name: 'restore',
    words: 'FILE | --check',
    about: 'puts a back-up into an empty data folder; says what must not go back in time',
    run: async ({ rest }, env) => (await import('./runRestore.ts')).runRestore(rest, env),
  },
  {
    name: 'witness',
    about: 'signs the logs of other services',
    run: async (_, env) => (await import('./runWitness.ts')).runWitness(env),
  },
  {
    name: 'map',
    words: 'export DIR',
    about: 'writes the map of verdicts as static files',
    run: async ({ rest }, env) => (await import('./runMap.ts')).runMap(rest, env),
  },
  {
    name: 'log',
    words: 'recompute URL --service URL --key KEY | forget INDEX | begin [ORIGIN] [--without-witnesses]',
    about: 'judges an endpoint from the public log; deletes an opening; begins another log',
    run: async ({ rest }, env, output) => (await import('./runLog.ts')).runLog(rest, env, output),
  },
  {
    name: 'webhooks',
    words: 'add HOST URL | list | remove ID',
    about: 'keeps the webhooks of hosts',
    run: async ({ rest }, env) => (await import('./runWebhooks.ts')).runWebhooks(rest, env),
  },
  {
    name: 'disputes',
    words: 'list | publish ID --answer TEXT | reject ID',
    about: 'answers the disputes of sellers',
    run: async ({ rest, answer }, env) => (await import('./runDisputes.ts')).runDisputes(rest, answer, env),
  },
  {
    name: 'rotate-keys',
    about: 'replaces the key that signs verdicts',
    run: async (_, env) => (await import('./runRotateKeys.ts')).runRotateKeys(env),
  },
  {
    name: 'migrate',
    about: 'brings the tables up to this version',
    run: async (_, env) => (await import('./runBackup.ts')).runMigrate(env),
  },
  {
    name: 'copy',
    about: 'copies the data folder into the database',
    run: async (_, env) => (await import('./runBackup.ts')).runCopy(env),
  },
]

const usage = () =>
  [
    'touchstone-server COMMAND; settings come from the environment (docs/operations.md)',
    ...COMMANDS.map(({ name, words, about }) => `  ${[name, words].filter(Boolean).join(' ')}: ${about}`),
    '  --version: prints the version',
  ].join('\n')

/**
 * Runs the command that the words name.
 * @returns what to print, or an exit code
 * @throws Error that names the invalid argument or setting
 */
export async function runCommand(
  words: readonly string[],
  env: Environment,
  output: Output,
): Promise<unknown> {
  const line = readCommandLine(words)
  if (line.isHelp || line.command === 'help') return usage()
  if (line.isVersion)
    return String(createRequire(import.meta.url)('@touchstone402/server/package.json').version)
  const known = COMMANDS.find(({ name }) => name === line.command)
  if (known === undefined) {
    const names = COMMANDS.map(({ name }) => name).join(', ')
    throw new Error(`there is no command "${line.command}": use ${names}`)
  }
  const takesWords = known.words !== undefined && known.name !== 'serve'
  if (!takesWords && line.rest.length > 0) throw new Error(`${known.name} takes no further words`)
  return known.run(line, env, output)
}
