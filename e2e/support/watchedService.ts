import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { lookup } from '@touchstone402/economy'
import { readConfig, startApp } from '@touchstone402/server'

// The service as a child process. Over IPC it reports its memory and its longest event loop stall since the last query.
const read = readConfig(process.env)
if (!read.ok) throw new Error(read.problems.join('\n'))
const app = await startApp(read.config, {
  lookup,
  log: (level, message) => process.stderr.write(`${level} ${message}\n`),
})

/** Memory that is the process's own. Mapped pages of files are left out: the system takes them back when it needs them. */
function ownBytes(): number {
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  if (kilobytes === undefined) throw new Error('the system does not tell what memory is whose')
  return Number(kilobytes) * 1024
}

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
let peakBytes = 0
setInterval(() => {
  peakBytes = Math.max(peakBytes, ownBytes())
}, 10)

process.on('message', () => {
  process.send?.({ bytes: ownBytes(), peakBytes, stallMs: delay.max / 1e6 })
  peakBytes = 0
  delay.reset()
})
process.send?.({ url: app.url })
