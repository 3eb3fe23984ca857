import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Role } from '../commandLine.ts'

export type ProcessesOptions = {
  readonly role: Role
  readonly processes: number
  /** Each process shows its metrics one port further; null: none do. */
  readonly metricsPort: number | null
  readonly log: (level: 'info' | 'warn', message: string) => void
}

/** A process that ends by itself is replaced after this time, so that one that cannot start does not spin. */
const REPLACE_AFTER_MS = 1000

/**
 * Runs several processes on this machine: they share the port, and one that ends is replaced. With the role `all` one
 * more of them crawls, and the others answer calls.
 * @returns how to stop them all
 */
export function runProcesses({ role, processes, metricsPort, log }: ProcessesOptions): () => Promise<void> {
  const roles: Role[] = Array.from({ length: processes }, () => (role === 'all' ? 'api' : role))
  if (role === 'all') roles.push('worker')
  const running = new Set<Worker>()
  let isStopping = false

  const start = (place: number): void => {
    const own = roles[place] ?? 'api'
    cluster.setupPrimary({ args: ['--role', own] })
    // Ports follow one another, since one cannot tell whose metrics it would show.
    const port =
      metricsPort === null || metricsPort === 0 ? {} : { METRICS_PORT: String(metricsPort + place) }
    const worker = cluster.fork(port)
    running.add(worker)
    // It is told to stop by the one that started it; a terminal's signal reaches all of them, which does no harm.
    worker.once('exit', (code, signal) => {
      running.delete(worker)
      if (isStopping) return
      log('warn', `a process (${own}) ended with ${signal ?? code}; another takes its place`)
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
