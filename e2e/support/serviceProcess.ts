import { lookup } from '@touchstone402/economy'
import { readConfig, startApp } from '@touchstone402/server'

// The service as a child process, for tests that kill it. It resolves the economy's names.
const read = readConfig(process.env)
if (!read.ok) throw new Error(read.problems.join('\n'))
const app = await startApp(read.config, {
  lookup,
  log: (level, message) => process.stderr.write(`${level} ${message}\n`),
})
process.stdout.write(`${JSON.stringify({ url: app.url })}\n`)
