import { runMain } from './commands/runMain.ts'
import { STANDARD_STREAMS } from './lib/output.ts'

// Also SQLite creates files by the mask, and containers start with one that lets everybody read.
process.umask(0o077)

const { code, hasThrown } = await runMain(process.argv.slice(2), process.env, STANDARD_STREAMS)
// What a command that failed has opened must not keep the process alive.
if (hasThrown) process.exit(code)
process.exitCode = code
