import { runCommand } from './commands/commands.ts'
import { messageOf } from './errors.ts'

try {
  const result = await runCommand(process.argv.slice(2), process.env)
  if (typeof result === 'number') process.exitCode = result
  if (typeof result === 'string') process.stdout.write(`${result}\n`)
} catch (error) {
  for (const line of messageOf(error).split('\n')) process.stderr.write(`touchstone-server: ${line}\n`)
  process.exit(1)
}
