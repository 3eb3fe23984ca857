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

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
let peakRss = 0
setInterval(() => {
  peakRss = Math.max(peakRss, process.memoryUsage.rss())
}, 10)

process.on('message', () => {
  process.send?.({ rss: process.memoryUsage.rss(), peakRss, stallMs: delay.max / 1e6 })
  peakRss = 0
  delay.reset()
})
process.send?.({ url: app.url })
