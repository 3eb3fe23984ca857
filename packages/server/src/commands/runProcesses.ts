import type { ChildProcess } from 'node:child_process'
import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Log } from '../lib/logging.ts'
import type { StopSignal } from './stopOnSignal.ts'

/** Task of a process: answer requests, crawl, or both. */
export type Role = 'api' | 'worker' | 'all'

/** Options of `runProcesses`. */
export type ProcessesOptions = {
  readonly role: Role
  readonly processes: number
  /** Port of the first process's metrics, counted up by one per process; null to serve none. */
  readonly metricsPort: number | null
  /** Time for the processes to end after a signal, in ms. */
  readonly limitMs: number
  readonly log: Log
  /** Ends this process. */
  readonly exit: (code: number) => void
  /** Starts a process, which sends {@link READY} once it works. */
  readonly fork: (role: Role, settings: Readonly<Record<string, string>>) => ChildProcess
  /** Delay before a process that ended is replaced, in ms; doubles up to a minute. */
  readonly replaceMs: number
}

/** Message of a process to its parent, once it has started. */
export const READY = 'ready'
/** Longest delay of a replacement. A process that lived for longer is replaced without any further one. */
const LONGEST_REPLACE_MS = 60_000
/** The last process is ended this long before the limit, in ms; each ends itself before that. */
const MARGIN_MS = 100

/**
 * Runs several processes that share the port, and replaces those that end. With the role `all` they answer requests and
 * one more crawls. If one ends before any has started, a setting is wrong or the database is gone: this process ends too.
 * @returns functions that pass a signal on to all, and that end all at once
 */
export function runProcesses(options: ProcessesOptions) {
  const { role, processes, metricsPort, limitMs, log, exit, fork, replaceMs } = options
  const roles: Role[] = Array.from({ length: processes }, () => (role === 'all' ? 'api' : role))
  if (role === 'all') roles.push('worker')
  const running = new Set<ChildProcess>()
  let hasStarted = false
  let isStopping = false

  const start = (place: number, delayMs: number): void => {
    const own = roles[place] ?? 'api'
    // A shared port would show the metrics of a random process.
    const port = metricsPort ? { METRICS_PORT: String(metricsPort + place) } : {}
    const child = fork(own, port)
    const startedAt = performance.now()
    running.add(child)
    child.on('message', (message) => {
      hasStarted ||= message === READY
    })
    child.once('exit', (code, signal) => {
      running.delete(child)
      if (isStopping) return
      const reason = signal ?? code
      const fields = { event: 'process_ended', role: own, reason }
      if (!hasStarted) {
        log('warn', `a process (${own}) ended with ${reason} before any had started; giving up`, fields)
        void stop('SIGTERM').then(() => exit(1))
        return
      }
      const afterMs = performance.now() - startedAt > LONGEST_REPLACE_MS ? replaceMs : delayMs
      log('warn', `a process (${own}) ended with ${reason}; restarting it`, { ...fields, afterMs })
      const next = Math.min(2 * afterMs, LONGEST_REPLACE_MS)
      setTimeout(() => !isStopping && start(place, next), afterMs)
    })
  }

  const endAll = () => {
    for (const child of running) child.kill('SIGKILL')
  }
  const stop = async (signal: StopSignal): Promise<boolean> => {
    isStopping = true
    const ends = [...running].map((child) => once(child, 'exit'))
    for (const child of running) child.kill(signal)
    // Each ends itself within the limit, unless its event loop is blocked.
    const late = setTimeout(() => {
      log('warn', `stop: ended by STOP_SECONDS: ${running.size} processes still open`, {
        event: 'stop_cut',
        open: running.size,
      })
      endAll()
    }, limitMs - MARGIN_MS)
    const ended = await Promise.all(ends)
    clearTimeout(late)
    // One that the signal itself ended had no handler yet, and so had accepted nothing.
    return ended.every(([code, by]) => code === 0 || by === signal)
  }

  for (const place of roles.keys()) start(place, replaceMs)
  return { stop, onEnd: endAll }
}

/** Starts a process of the cluster, which shares the port. @param options of its command line, besides the role */
export function forkServer(
  role: Role,
  settings: Readonly<Record<string, string>>,
  options: readonly string[] = [],
): ChildProcess {
  cluster.setupPrimary({ args: ['--role', role, ...options] })
  return cluster.fork(settings).process
}
