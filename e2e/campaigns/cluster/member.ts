// One process of the service: `api` or `worker`. Resolves `*.test` to loopback.
import type { LookupFunction } from 'node:net'
import { readConfig, startApp, startWorker } from '@touchstone402/server'

const lookup: LookupFunction = (_name, options, answer) => {
  if (options.all) answer(null, [{ address: '127.0.0.1', family: 4 }])
  else answer(null, '127.0.0.1', 4)
}

const read = readConfig(process.env)
if (!read.ok) throw new Error(read.problems.join('\n'))
const options = {
  lookup,
  log: (level: string, message: string) => process.stderr.write(`${process.argv[2]} ${level} ${message}\n`),
}
const url =
  process.argv[2] === 'worker'
    ? (await startWorker(read.config, options)) && ''
    : (await startApp(read.config, { ...options, crawls: false })).url
process.stdout.write(`ready ${url}\n`)
