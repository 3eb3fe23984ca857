/** The audit's clock: starts three days ago, runs fast until it reaches now, then keeps real time. */
export type EconomyClock = {
  /** Unix time in ms. Until the clock has caught up, time only moves in jumps. */
  now(): number
  /**
   * Waits for a duration on this clock.
   * @throws the signal's reason if aborted; an `AbortError` if the clock is stopped.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Stops time until the returned function is called. Calling it again is a no-op. */
  hold(): () => void
  /** Resolves once the clock shows real time. */
  readonly caughtUp: Promise<void>
  readonly isCaughtUp: boolean
  /** Jumps to now and wakes every overdue sleeper. */
  skipToNow(): void
  /** Rejects every sleep and clears all timers. */
  stop(): void
}

type Sleeper = { wakeAt: number; wake(): void; fail(reason: unknown): void; timer?: NodeJS.Timeout }

/** How far in the past the fast clock starts: three days. */
export const HEAD_START_MS = 3 * 86_400_000

const MAX_TIMER_MS = 2_147_483_647

/**
 * Creates the clock.
 *
 * The fast clock is a discrete-event clock: it jumps to the earliest wake-up time, wakes that sleeper, and waits
 * until the clock is idle, so that a woken task sees the time it asked for. The clock is idle if it has no holds and
 * was not called for `quietMs` of real time. Without sleepers time does not move.
 *
 * @param options.quietMs idle time before a jump, in real ms, for I/O without a hold. @default 1
 */
export function createClock(options: {
  mode: 'fast' | 'real'
  headStartMs?: number
  quietMs?: number
}): EconomyClock {
  const quietMs = options.quietMs ?? 1
  const sleepers: Sleeper[] = []
  let fast = options.mode === 'fast'
  let virtualNow = Date.now() - (options.headStartMs ?? HEAD_START_MS)
  let holds = 0
  let quiet: NodeJS.Timeout | undefined
  let stopped = false
  let resolveCaughtUp = () => {}
  const caughtUp = new Promise<void>((resolve) => {
    resolveCaughtUp = resolve
  })
  if (!fast) resolveCaughtUp()

  const remove = (sleeper: Sleeper) => {
    clearTimeout(sleeper.timer)
    const index = sleepers.indexOf(sleeper)
    if (index >= 0) sleepers.splice(index, 1)
  }

  const wakeInRealTime = (sleeper: Sleeper) => {
    const wait = Math.min(MAX_TIMER_MS, Math.max(0, sleeper.wakeAt - Date.now()))
    sleeper.timer = setTimeout(() => {
      if (Date.now() < sleeper.wakeAt) return wakeInRealTime(sleeper)
      remove(sleeper)
      sleeper.wake()
    }, wait)
  }

  const skipToNow = () => {
    if (!fast) return
    fast = false
    clearTimeout(quiet)
    resolveCaughtUp()
    for (const sleeper of sleepers) wakeInRealTime(sleeper)
  }

  const jump = () => {
    const next = sleepers[0]
    if (!next || holds > 0) return
    if (next.wakeAt >= Date.now()) return skipToNow()
    virtualNow = Math.max(virtualNow, next.wakeAt)
    remove(next)
    next.wake()
    settle()
  }

  // Every call restarts the idle period.
  const settle = () => {
    clearTimeout(quiet)
    if (!fast || stopped || holds > 0 || sleepers.length === 0) return
    quiet = setTimeout(jump, quietMs)
  }

  const now = () => (fast ? virtualNow : Date.now())

  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      if (stopped) return reject(stopError())
      const onAbort = () => {
        remove(sleeper)
        settle()
        reject(signal?.reason)
      }
      const sleeper: Sleeper = {
        wakeAt: now() + Math.max(0, ms),
        wake: () => {
          signal?.removeEventListener('abort', onAbort)
          resolve()
        },
        fail: (reason) => {
          signal?.removeEventListener('abort', onAbort)
          reject(reason)
        },
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      // Equal times wake in the order of the calls.
      const after = sleepers.findIndex((other) => other.wakeAt > sleeper.wakeAt)
      sleepers.splice(after < 0 ? sleepers.length : after, 0, sleeper)
      if (fast) settle()
      else wakeInRealTime(sleeper)
    })

  const hold = () => {
    holds += 1
    settle()
    let held = true
    return () => {
      if (!held) return
      held = false
      holds -= 1
      settle()
    }
  }

  const stop = () => {
    stopped = true
    clearTimeout(quiet)
    for (const sleeper of [...sleepers]) {
      remove(sleeper)
      sleeper.fail(stopError())
    }
  }

  return {
    now,
    sleep,
    hold,
    caughtUp,
    get isCaughtUp() {
      return !fast
    },
    skipToNow,
    stop,
  }
}

function stopError(): DOMException {
  return new DOMException('the clock was stopped', 'AbortError')
}
