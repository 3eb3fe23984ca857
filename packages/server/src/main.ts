import { readCommandLine } from './app/commandLine.ts'
import { runBackup } from './app/commands/runBackup.ts'
import { runCopy, runMigrate } from './app/commands/runDatabaseCommand.ts'
import { runRecompute } from './app/commands/runRecompute.ts'
import { runRestore } from './app/commands/runRestore.ts'
import { runRotateKeys } from './app/commands/runRotateKeys.ts'
import { runServe } from './app/commands/runServe.ts'
import { messageOf } from './errors.ts'

try {
  const line = readCommandLine(process.argv.slice(2))
  const { command, rest } = line
  const commands = new Map<string, () => Promise<unknown>>([
    ['serve', () => runServe(line)],
    ['recompute', () => runRecompute(rest, process.env)],
    ['backup', () => runBackup(rest, process.env)],
    ['restore', () => runRestore(rest, process.env)],
    ['rotate-keys', () => runRotateKeys(process.env)],
    ['migrate', () => runMigrate(process.env)],
    ['copy', () => runCopy(process.env)],
  ])
  const run = commands.get(command)
  if (run === undefined) {
    throw new Error(`there is no command "${command}": use ${[...commands.keys()].join(', ')}`)
  }
  if (!['recompute', 'backup', 'restore'].includes(command) && rest.length > 0)
    throw new Error(`${command} takes no further words`)
  const result = await run()
  if (typeof result === 'number') process.exitCode = result
  if (typeof result === 'string') process.stdout.write(`${result}\n`)
} catch (error) {
  for (const line of messageOf(error).split('\n')) process.stderr.write(`touchstone-server: ${line}\n`)
  process.exit(1)
}
