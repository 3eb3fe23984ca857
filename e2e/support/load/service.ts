// The service as a child process. Over IPC it advances its clock on request, so that a crawl starts, and reports its
// resource usage.
import { readConfig, startApp } from '@touchstone402/server'
import { createPolledClock } from './polledClock.ts'

const read = readConfig(process.env)
if (!read.ok) throw new Error(read.problems.join('\n'))
const clock = createPolledClock()
const app = await startApp(read.config, {
  clock,
  hasProberThread: true,
  lookup: (_name, options, answer) => {
    if (options.all) answer(null, [{ address: '127.0.0.1', family: 4 }])
    else answer(null, '127.0.0.1', 4)
  },
})
process.on('message', (message: { jumpMs: number }) => {
  clock.jump(message.jumpMs)
  const { user, system } = process.cpuUsage()
  process.send?.({
    cpuMs: (user + system) / 1000,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
    looks: app.crawl().looks,
    discoveries: app.crawl().discoveries,
  })
})
process.send?.({ url: app.url })
