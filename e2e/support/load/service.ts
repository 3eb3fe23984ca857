// The service as a child process. Over IPC it advances its clock on request, so that a crawl starts, and reports its
// resource usage.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, readConfig, startApp } from '@touchstone402/server'

const read = readConfig(process.env)
if (!read.ok) throw new Error(read.problems.join('\n'))
let aheadMs = 0
const now = () => Date.now() + aheadMs
const clock: Clock = {
  now,
  async sleep(ms, signal) {
    const end = now() + ms
    while (now() < end) await sleep(Math.min(100, end - now()), undefined, signal && { signal })
  },
  hold: () => () => {},
}
const app = await startApp(read.config, {
  clock,
  hasProberThread: true,
  lookup: (_name, options, answer) => {
    if (options.all) answer(null, [{ address: '127.0.0.1', family: 4 }])
    else answer(null, '127.0.0.1', 4)
  },
})
process.on('message', (message: { jumpMs: number }) => {
  aheadMs += message.jumpMs
  const { user, system } = process.cpuUsage()
  process.send?.({
    cpuMs: (user + system) / 1000,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
    looks: app.crawl().looks,
    discoveries: app.crawl().discoveries,
  })
})
process.send?.({ url: app.url })
