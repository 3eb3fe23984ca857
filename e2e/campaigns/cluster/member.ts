// One process of the service: `api` or `worker`. Resolves `*.test` to loopback. Reports its usage over IPC, if it has any.
import type { LookupFunction } from 'node:net'
import { readConfig, startApp, startWorker } from '@touchstone402/server'

/** Usage since the start: probes, and the peak of the resident memory. */
export type Usage = { readonly looks: number; readonly failures: number; readonly rssMb: number }

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
const member =
  process.argv[2] === 'worker'
    ? { ...(await startWorker(read.config, options)), url: '' }
    : await startApp(read.config, { ...options, crawls: false })
process.on('message', () => {
  const { looks, failures } = member.crawl()
  process.send?.({ looks, failures, rssMb: process.resourceUsage().maxRSS / 1024 } satisfies Usage)
})
process.stdout.write(`ready ${member.url}\n`)
