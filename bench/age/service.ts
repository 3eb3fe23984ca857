// The service on a data folder as a child process. Over IPC it moves its clock ahead, so that there is always something
// to probe, and reports its progress and resource usage.
import { readConfig, startApp } from '@touchstone402/server'
import { createPolledClock } from '../../e2e/support/load/polledClock.ts'
import { createInstantProber } from '../support/instantProber.ts'
import { type Stalls, watchStalls } from '../support/watchStalls.ts'

/** First message, once the service answers. */
export type Ready = { readonly url: string; readonly metricsUrl: string }

/** Message of the parent that advances the clock and asks for the usage. */
export type Request = {
  /** How far to advance the clock, in ms. */
  readonly jumpMs: number
  /** Whether to measure stalls from here on. */
  readonly isStart: boolean
}

/** Answer to each request. */
export type Usage = {
  readonly looks: number
  readonly failures: number
  readonly due: number
  /** Peak since the start of the process. */
  readonly rssMb: number
  readonly stalls: Stalls
}

const read = readConfig(process.env)
if (!read.ok) throw new Error(read.problems.join('\n'))
const clock = createPolledClock()
let metricsUrl = ''
const app = await startApp(read.config, {
  clock,
  prober: createInstantProber(clock.now),
  log: (level, message) => {
    if (message.startsWith('metrics at ')) metricsUrl = message.slice('metrics at '.length)
    if (level === 'warn') process.stderr.write(`${message}\n`)
  },
})
let stop = watchStalls()

process.on('message', ({ jumpMs, isStart }: Request) => {
  clock.jump(jumpMs)
  if (isStart) {
    stop()
    stop = watchStalls()
  }
  const { looks, failures, due } = app.crawl()
  const rssMb = process.resourceUsage().maxRSS / 1024
  const usage: Usage = { looks, failures, due, rssMb, stalls: stop.soFar() }
  process.send?.(usage)
})
// The parent has gone.
process.on('disconnect', () => process.exit())
process.send?.({ url: app.url, metricsUrl } satisfies Ready)
