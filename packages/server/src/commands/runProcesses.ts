import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Log } from '../logging.ts'
import type { Role } from './commandLine.ts'

/** Options of `runProcesses`. */
export type ProcessesOptions = {
  readonly role: Role
  readonly processes: number
  /** Port of the first process's metrics, counted up by one per process; null to serve none. */
  readonly metricsPort: number | null
  readonly log: Log
}

/** Delay before a process that ended is replaced, so that one that cannot start does not loop. */
const REPLACE_AFTER_MS = 1000

/**
 * Runs several processes that share the port, and replaces those that end. With the role `all` they answer requests and
 * one more crawls.
 * @returns a function that stops them all
 */
export function runProcesses({ role, processes, metricsPort, log }: ProcessesOptions): () => Promise<void> {
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
  return async () => {
    isStopping = true
    const ends = [...running].map((worker) => once(worker, 'exit'))
    for (const worker of running) worker.process.kill('SIGTERM')
    await Promise.all(ends)
  }
}
