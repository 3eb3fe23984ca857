// The service as a child process. Each message may move its clock ahead, and is answered by its progress and usage.
import { readFileSync } from 'node:fs'
import type { LookupFunction } from 'node:net'
import { readConfig, startApp, startWorker } from '@touchstone402/server'
import { type HotFunction, startCpuProfile } from './cpuProfile.ts'
import { startLoopDelay } from './loopDelay.ts'
import { createPolledClock } from './polledClock.ts'
import { type Stalls, watchStalls } from './watchStalls.ts'

/** How the process differs from one that an operator starts. */
export type ServiceOptions = {
  /** @default both in one */
  readonly role?: 'api' | 'worker'
  /** Resolves every name to loopback. @default the names of the economy */
  readonly isOnLoopback?: boolean
  /** Has a clock that messages move ahead. */
  readonly canJump?: boolean
  readonly hasThreads?: boolean
  /** Module that exports `createProber(now)`, in place of the network. */
  readonly prober?: string
  /** Watches memory and stalls, which takes some time itself. */
  readonly isWatched?: boolean
}

/** Message of the parent. */
export type Request = {
  /** How far to move the clock ahead, in ms. */
  readonly jumpMs?: number
  /** Begins a new watch. */
  readonly isStart?: boolean
  /** Begins a CPU profile of the main thread, or ends it. */
  readonly profile?: 'begin' | 'end'
}

/** Usage since the start, or since the watch began. */
export type Usage = {
  readonly probes: number
  readonly failures: number
  readonly due: number
  readonly discoveries: number
  readonly cpuMs: number
  readonly rssMb: number
  readonly peakRssMb: number
  /** Private memory, without mapped pages of files, which the system reclaims when needed. */
  readonly ownBytes: number
  /** Peak of it during the watch. */
  readonly peakBytes: number
  readonly stalls: Stalls
  /** 99th percentile of the event-loop delay in wall-clock time, in ms. */
  readonly delayP99Ms: number
  /** The functions that took most of the main thread, if a profile ended. */
  readonly hotFunctions?: readonly HotFunction[]
}

const options: ServiceOptions = JSON.parse(process.argv[2] ?? '{}')
const loopback: LookupFunction = (_name, { all }, answer) => {
  if (all) answer(null, [{ address: '127.0.0.1', family: 4 }])
  else answer(null, '127.0.0.1', 4)
}
const read = readConfig(process.env)
if (!read.ok) throw new Error(read.problems.join('\n'))
const clock = createPolledClock()
let metricsUrl = ''
const parts = {
  lookup: options.isOnLoopback ? loopback : (await import('@touchstone402/economy')).lookup,
  log: (level: string, message: string) => {
    if (message.startsWith('metrics at ')) metricsUrl = message.slice('metrics at '.length)
    if (level !== 'info') process.stderr.write(`${options.role ?? 'service'} ${level} ${message}\n`)
  },
  ...(options.canJump && { clock }),
  ...(options.hasThreads && { hasThreads: true }),
  ...(options.prober && { prober: (await import(options.prober)).createProber(clock.now) }),
}
// Node and the modules are loaded.
const startedAt = Date.now()
const app =
  options.role === 'worker'
    ? { ...(await startWorker(read.config, parts)), url: '' }
    : await startApp(read.config, { ...parts, ...(options.role === 'api' && { crawls: false }) })

function ownBytes(): number {
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  if (kilobytes === undefined) throw new Error('the system does not tell what memory is whose')
  return Number(kilobytes) * 1024
}

let peakBytes = 0
let watch = options.isWatched ? watchStalls() : undefined
if (options.isWatched) setInterval(() => (peakBytes = Math.max(peakBytes, ownBytes())), 10)

const delays = startLoopDelay()
let endProfile: (() => Promise<HotFunction[]>) | undefined

process.on('message', async ({ jumpMs = 0, isStart = false, profile }: Request) => {
  clock.jump(jumpMs)
  const hotFunctions = profile === 'end' ? await endProfile?.() : undefined
  const { user, system } = process.cpuUsage()
  const { probes, failures, due, discoveries } = app.crawl()
  process.send?.({
    probes,
    failures,
    due,
    discoveries,
    cpuMs: (user + system) / 1000,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
    peakRssMb: process.resourceUsage().maxRSS / 1024,
    ownBytes: options.isWatched ? ownBytes() : 0,
    peakBytes,
    stalls: watch?.soFar() ?? { maxMs: 0, p99Ms: 0 },
    delayP99Ms: delays.p99Ms(),
    ...(hotFunctions && { hotFunctions }),
  } satisfies Usage)
  if (profile === 'begin') endProfile = await startCpuProfile()
  if (!isStart) return
  delays.reset()
  watch?.()
  watch = watchStalls()
  peakBytes = 0
})
// The parent has gone.
process.on('disconnect', () => process.exit())
process.send?.({ url: app.url, metricsUrl, startedAt })
