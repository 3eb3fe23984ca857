import { readFileSync } from 'node:fs'
import { lookup } from '@touchstone402/economy'
import { readConfig, startApp } from '@touchstone402/server'

// The service as a child process, which reports its longest event loop stall over IPC.
const read = readConfig(process.env)
if (!read.ok) throw new Error(read.problems.join('\n'))
const app = await startApp(read.config, { lookup })

const TICK_MS = 10
let maxStallMs = 0
let last = { at: performance.now(), waited: waitedForCpuMs() }
setInterval(() => {
  const next = { at: performance.now(), waited: waitedForCpuMs() }
  // Subtract time in which other processes had the CPU.
  const stall = next.at - last.at - TICK_MS - (next.waited - last.waited)
  maxStallMs = Math.max(maxStallMs, stall)
  last = next
}, TICK_MS)

process.on('message', (message) => {
  if (message === 'reset') maxStallMs = 0
  process.send?.({ maxStallMs })
})
process.send?.({ url: app.url })

/** Returns how long the main thread waited for a core, in ms. Source: Linux proc(5), schedstat; elsewhere 0. */
function waitedForCpuMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
