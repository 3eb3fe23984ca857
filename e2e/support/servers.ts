import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startChild } from './child.ts'
import type { Request, ServiceOptions, Usage } from './serviceProcess.ts'

const SERVICE = new URL('./serviceProcess.ts', import.meta.url)
const HELLO = new URL('./load/hello.ts', import.meta.url)
/** Node flag for a process that has one core (`docs/operations.md`). The same for all compared servers. */
const ONE_CORE = '--single-threaded-gc'

/** A server in a child process. */
export type ServerProcess = {
  /** Empty for a worker. */
  readonly origin: string
  /** Where it serves its metrics, if it does. */
  readonly metricsUrl: string
  /** Unix time in ms at which the service began to start, behind the loading of Node and modules. */
  readonly startedAt: number
  measure(request?: Request): Promise<Usage>
  hasEnded(): boolean
  /** Stops the process until {@link resume}, so that it takes no CPU from another server on its core. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

/** Starts a server script that reports its URL, on any core or alone on the first one. */
export async function startServer(
  script: URL,
  env: Readonly<Record<string, string>>,
  { isPinned = false, ...settings }: ServiceOptions & { isPinned?: boolean } = {},
): Promise<ServerProcess> {
  const flags = isPinned ? [ONE_CORE] : []
  const child = startChild(script, { settings, env, flags, ...(isPinned && { core: 0 }) })
  type Started = { url: string; metricsUrl?: string; startedAt?: number }
  const { url, metricsUrl = '', startedAt = Date.now() } = await child.hear<Started>()
  return {
    origin: url,
    metricsUrl,
    startedAt,
    measure: (request = {}) => child.ask<Usage>(request),
    hasEnded: () => child.process.exitCode !== null || child.process.signalCode !== null,
    pause: () => void child.process.kill('SIGSTOP'),
    resume: () => void child.process.kill('SIGCONT'),
    stop: child.kill,
  }
}

/** Starts the service with the given settings in its environment. */
export const startServiceProcess = (
  env: Readonly<Record<string, string>>,
  options: ServiceOptions & { isPinned?: boolean } = {},
): Promise<ServerProcess> => startServer(SERVICE, env, options)

/** Starts a hello-world server. */
export const startHello = (kind: 'raw' | 'express', isPinned: boolean): Promise<ServerProcess> =>
  startServer(HELLO, { HELLO: kind }, { isPinned })

/** Runs `work` while another server is paused. */
export async function whilePaused<T>(other: ServerProcess, work: () => Promise<T>): Promise<T> {
  other.pause()
  try {
    return await work()
  } finally {
    other.resume()
  }
}

/** Waits until the usage of a server satisfies a condition. @throws after two minutes */
export async function waitFor(server: ServerProcess, isDone: (usage: Usage) => boolean): Promise<void> {
  for (const end = Date.now() + 120_000; !isDone(await server.measure()); await sleep(100)) {
    if (Date.now() > end) throw new Error('the server made no progress within two minutes')
  }
}

/** Pins this process to the second core, as servers use the first. Returns false if `taskset` is missing. */
export async function keepToSecondCore(): Promise<boolean> {
  return promisify(execFile)('taskset', ['-a', '-cp', '1', String(process.pid)]).then(
    () => true,
    () => false,
  )
}
