import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/logging.ts'

/** How a process stops. */
export type StopOptions = {
  /** Time after which nothing is waited for, in ms. @default 30000 */
  readonly limitMs?: number
  /** Time for which the listener stays open, so that load balancers see that this process is not ready. @default 0 */
  readonly lingerMs?: number
}

/**
 * Closes a part of the process.
 * @param limits time in ms after which the part is no longer waited for
 */
type Cleanup = (limits: { readonly ms: number; readonly lingerMs: number }) => unknown

/**
 * Accepted calls are finished first. Then everything is closed that they may need, at once, since a part may wait for
 * another one's error. Storage comes last.
 */
const PHASES = ['calls', 'work', 'storage'] as const

/** Share of the time for accepted calls. */
const CALLS_SHARE = 0.8
/** Time in ms for cancelled work to end. */
const CANCEL_MS = 5000
/** The process ends this long before its limit, in ms, so that it is not killed. */
const MARGIN_MS = 750

/** Creates what stops a process within a limit, whatever its parts wait for. */
export function createStopper(log: Log) {
  const cleanups: { readonly name: string; readonly cleanup: Cleanup; readonly phase: string }[] = []
  const losses: string[] = []
  const begun = new AbortController()
  let stopped: Promise<boolean> | undefined

  const stop = async ({ limitMs = 30_000, lingerMs = 0 }: StopOptions): Promise<boolean> => {
    const endsAt = performance.now() + limitMs - MARGIN_MS
    const left = () => Math.max(0, endsAt - performance.now())
    begun.abort()
    const limitOf = {
      calls: () => CALLS_SHARE * left(),
      work: () => Math.min(CANCEL_MS, left() / 2),
      storage: left,
    }
    const open: string[] = []
    let hasFailed = false
    for (const phase of PHASES) {
      const ms = limitOf[phase]()
      const parts = cleanups.filter((one) => one.phase === phase)
      await Promise.all(
        parts.map(async ({ name, cleanup }) => {
          const closing = Promise.resolve({ ms, lingerMs }).then(cleanup)
          const end = await endOf(closing, ms)
          if (end === 'late') open.push(name)
          if (end === 'late' || end === 'closed') return
          hasFailed = true
          log('warn', `stop: ${name}: ${messageOf(end.error)}`, {
            event: 'stop_failed',
            part: name,
            reason: messageOf(end.error),
          })
        }),
      )
    }
    if (open.length + losses.length > 0)
      log(
        'warn',
        `stop: ended by STOP_SECONDS: ${[...open.map((name) => `${name} still open`), ...losses].join(', ')}`,
        { event: 'stop_cut' },
      )
    return losses.length === 0 && !hasFailed
  }

  return {
    /** Fires when the process begins to stop: work that no accepted call needs is cancelled. */
    stopping: begun.signal,
    /** Registers what closes a part, under the name that the log has for it. */
    onStop(name: string, cleanup: Cleanup, phase: (typeof PHASES)[number] = 'work'): void {
      cleanups.push({ name, cleanup, phase })
    },
    /** Records accepted work that ended without its result. */
    lose: (what: string) => void losses.push(what),
    /** Stops the process, once. Returns whether all that was accepted is done or recorded. Never rejects. */
    stop(options: StopOptions = {}): Promise<boolean> {
      stopped ??= stop(options)
      return stopped
    },
  }
}

/** Further time in ms for a part that ends itself at its limit. */
const GRACE_MS = 250

/** Waits for a part, at most until shortly after its limit. */
async function endOf(
  closing: Promise<unknown>,
  ms: number,
): Promise<'closed' | 'late' | { readonly error: unknown }> {
  const over = new AbortController()
  const late = sleep(ms + GRACE_MS, 'late' as const, { signal: over.signal }).catch(() => 'late' as const)
  const closed = closing.then(
    () => 'closed' as const,
    (error: unknown) => ({ error }),
  )
  return Promise.race([closed, late]).finally(() => over.abort())
}
