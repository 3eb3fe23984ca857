import { readFileSync } from 'node:fs'
import { lookup } from '@touchstone402/economy'
import { readConfig, startApp } from '@touchstone402/server'

// The service as a process of its own, which tells on request how long its event loop stood still.
const read = readConfig(process.env)
if (!read.ok) throw new Error(read.problems.join('\n'))
const app = await startApp(read.config, { lookup })

const TICK_MS = 10
let maxStallMs = 0
let last = { at: performance.now(), waited: waitedForCpuMs() }
setInterval(() => {
  const next = { at: performance.now(), waited: waitedForCpuMs() }
  // What other processes on the machine took from this one is not its own stall.
  const stall = next.at - last.at - TICK_MS - (next.waited - last.waited)
  maxStallMs = Math.max(maxStallMs, stall)
  last = next
}, TICK_MS)

process.on('message', (message) => {
  if (message === 'reset') maxStallMs = 0
  process.send?.({ maxStallMs })
})
process.send?.({ url: app.url })

/** How long the main thread has been ready to run while no core was free. Source: Linux, proc(5), schedstat; elsewhere 0. */
function waitedForCpuMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
