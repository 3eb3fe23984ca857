import { readCommandLine } from './app/commandLine.ts'
import { runCopy, runMigrate } from './app/commands/runDatabaseCommand.ts'
import { runRecompute } from './app/commands/runRecompute.ts'
import { runRotateKeys } from './app/commands/runRotateKeys.ts'
import { runServe } from './app/commands/runServe.ts'
import { messageOf } from './errors.ts'

const COMMANDS = 'serve, recompute <host>, rotate-keys, migrate or copy'

try {
  const line = readCommandLine(process.argv.slice(2))
  const { command, rest } = line
  if (command !== 'recompute' && rest.length > 0) throw new Error(`${command} takes no further words`)
  switch (command) {
    case 'serve':
      await runServe(line)
      break
    case 'recompute':
      process.exitCode = await runRecompute(rest, process.env)
      break
    case 'rotate-keys':
      say(await runRotateKeys(process.env))
      break
    case 'migrate':
      say(await runMigrate(process.env))
      break
    case 'copy':
      say(await runCopy(process.env))
      break
    default:
      throw new Error(`there is no command "${command}": use ${COMMANDS}`)
  }
} catch (error) {
  for (const line of messageOf(error).split('\n')) process.stderr.write(`touchstone-server: ${line}\n`)
  process.exit(1)
}

function say(words: string): void {
  process.stdout.write(`${words}\n`)
}
