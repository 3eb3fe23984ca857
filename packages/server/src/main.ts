import { runCommand } from './commands/commands.ts'
import { messageOf } from './errors.ts'

// Also SQLite creates files by the mask, and containers start with one that lets everybody read.
process.umask(0o077)

try {
  const result = await runCommand(process.argv.slice(2), process.env)
  if (typeof result === 'number') process.exitCode = result
  if (typeof result === 'string') process.stdout.write(`${result}\n`)
} catch (error) {
  for (const line of messageOf(error).split('\n')) process.stderr.write(`touchstone-server: ${line}\n`)
  process.exit(1)
}
