import { readCommandLine } from './app/commandLine.ts'
import { messageOf } from './errors.ts'

try {
  const line = readCommandLine(process.argv.slice(2))
  const { command, rest } = line
  // Each loads only what it needs.
  const commands = new Map<string, () => Promise<unknown>>([
    ['serve', async () => (await import('./app/commands/runServe.ts')).runServe(line)],
    [
      'recompute',
      async () => (await import('./app/commands/runRecompute.ts')).runRecompute(rest, process.env),
    ],
    ['backup', async () => (await import('./app/commands/runBackup.ts')).runBackup(rest, process.env)],
    ['restore', async () => (await import('./app/commands/runRestore.ts')).runRestore(rest, process.env)],
    ['witness', async () => (await import('./app/commands/runWitness.ts')).runWitness(process.env)],
    ['map', async () => (await import('./app/commands/runMap.ts')).runMap(rest, process.env)],
    ['log', async () => (await import('./app/commands/runLog.ts')).runLog(rest, process.env)],
    ['webhooks', async () => (await import('./app/commands/runWebhooks.ts')).runWebhooks(rest, process.env)],
    [
      'disputes',
      async () => (await import('./app/commands/runDisputes.ts')).runDisputes(rest, line.answer, process.env),
    ],
    ['rotate-keys', async () => (await import('./app/commands/runRotateKeys.ts')).runRotateKeys(process.env)],
    ['migrate', async () => (await import('./app/commands/runDatabaseCommand.ts')).runMigrate(process.env)],
    ['copy', async () => (await import('./app/commands/runDatabaseCommand.ts')).runCopy(process.env)],
  ])
  const run = commands.get(command)
  if (run === undefined) {
    throw new Error(`there is no command "${command}": use ${[...commands.keys()].join(', ')}`)
  }
  if (
    !['recompute', 'backup', 'restore', 'map', 'log', 'webhooks', 'disputes'].includes(command) &&
    rest.length > 0
  )
    throw new Error(`${command} takes no further words`)
  const result = await run()
  if (typeof result === 'number') process.exitCode = result
  if (typeof result === 'string') process.stdout.write(`${result}\n`)
} catch (error) {
  for (const line of messageOf(error).split('\n')) process.stderr.write(`touchstone-server: ${line}\n`)
  process.exit(1)
}
