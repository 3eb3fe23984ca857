import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Log } from '../logging.ts'
import type { Role } from './commandLine.ts'
import type { StopSignal } from './stopOnSignal.ts'

/** Options of `runProcesses`. */
export type ProcessesOptions = {
  readonly role: Role
  readonly processes: number
  /** Port of the first process's metrics, counted up by one per process; null to serve none. */
  readonly metricsPort: number | null
  /** Time for the processes to end after a signal, in ms. */
  readonly limitMs: number
  readonly log: Log
}

/** Delay before a process that ended is replaced, so that one that cannot start does not loop. */
const REPLACE_AFTER_MS = 1000
/** The last process is ended this long before the limit, in ms. */
const MARGIN_MS = 250

/**
 * Runs several processes that share the port, and replaces those that end. With the role `all` they answer requests and
 * one more crawls.
 * @returns functions that pass a signal on to all, and that end all at once
 */
export function runProcesses({ role, processes, metricsPort, limitMs, log }: ProcessesOptions) {
  const roles: Role[] = Array.from({ length: processes }, () => (role === 'all' ? 'api' : role))
  if (role === 'all') roles.push('worker')
  const running = new Set<Worker>()
  let isStopping = false

  const start = (place: number): void => {
    const own = roles[place] ?? 'api'
    cluster.setupPrimary({ args: ['--role', own] })
    // A shared port would show the metrics of a random process.
    const port =
      metricsPort === null || metricsPort === 0 ? {} : { METRICS_PORT: String(metricsPort + place) }
    const worker = cluster.fork(port)
    running.add(worker)
    worker.once('exit', (code, signal) => {
      running.delete(worker)
      if (isStopping) return
      const fields = { event: 'process_ended', role: own, reason: signal ?? code }
      log('warn', `a process (${own}) ended with ${fields.reason}; restarting it`, fields)
      setTimeout(() => !isStopping && start(place), REPLACE_AFTER_MS)
    })
  }

  for (const place of roles.keys()) start(place)
  const endAll = () => {
    for (const worker of running) worker.process.kill('SIGKILL')
  }
  return {
    async stop(signal: StopSignal): Promise<boolean> {
      isStopping = true
      const ends = [...running].map((worker) => once(worker, 'exit'))
      for (const worker of running) worker.process.kill(signal)
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
    },
    onEnd: endAll,
  }
}
