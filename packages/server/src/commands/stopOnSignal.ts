import type { Log } from '../lib/logging.ts'

/** Signals that stop a process. */
export type StopSignal = 'SIGINT' | 'SIGTERM'

export type StopOnSignal = {
  /** Resolves to whether nothing accepted was lost, within a limit. Must not reject. */
  readonly stop: (signal: StopSignal) => Promise<boolean>
  /** Called at a second signal, before the process ends. */
  readonly onEnd?: () => void
  readonly log: Log
}

/** A terminal and a service manager signal a whole group, and a parent passes the signal on: within this time it is one. */
const SAME_MS = 500

/**
 * Stops the process at the first SIGINT or SIGTERM, and ends it at the second. Exits with 1 if anything was lost.
 * @returns a function that leaves both signals to others again
 */
export function stopOnSignal({ stop, onEnd, log }: StopOnSignal): () => void {
  let since: number | undefined
  const onSignal = (signal: StopSignal) => {
    if (since !== undefined && performance.now() - since < SAME_MS) return
    if (since === undefined) {
      since = performance.now()
      log('info', 'stopping', { event: 'stopping' })
      void stop(signal).then((isClean) => process.exit(isClean ? 0 : 1))
      return
    }
    log('warn', `stop: ended by a second ${signal}`, { event: 'stop_cut', signal })
    onEnd?.()
    process.exit(1)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return () => {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}
