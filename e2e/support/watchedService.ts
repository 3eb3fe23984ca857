import { monitorEventLoopDelay } from 'node:perf_hooks'
import { lookup } from '@touchstone402/economy'
import { readConfig, startApp } from '@touchstone402/server'

// The service as a process of its own that tells, when asked, how much memory it took and how long it stood still
// since it was last asked. Its parent speaks to it over IPC.
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
