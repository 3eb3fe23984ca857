import { untilAborted } from '../../paying/calls/request.ts'

/** Time limits of an exchange, ms. */
export type TimeLimits = {
  /** Until the first byte of the answer. */
  answerMs: number
  /** Without a byte of the body. */
  idleMs: number
  /** For the whole exchange. */
  totalMs: number
}

/** Longest pause within a body, ms. */
export const IDLE_MS = 60_000
/** Longest exchange, ms. */
export const TOTAL_MS = 900_000

/** Watches the time limits of one exchange. */
export type Clock = {
  /** Aborts if a limit passes, or the caller aborts. */
  readonly signal: AbortSignal
  /** Starts the wait under way again: bytes of the request went out. */
  sent(): void
  /** Starts the wait for the next bytes of the body. */
  awaitBytes(): void
  /** Ends a wait: the reader takes its time. */
  rest(): void
  /** Ends all limits. */
  stop(): void
  /** Whether the limit of the whole exchange has passed. */
  isOver(): boolean
}

/** Starts the clock of an exchange, with the wait for the first byte of its answer. */
export function startClock(caller: AbortSignal | null, { answerMs, idleMs, totalMs }: TimeLimits): Clock {
  const late = new AbortController()
  const expire = (message: string) => late.abort(new DOMException(message, 'TimeoutError'))
  const start = (ms: number, message: string) => setTimeout(expire, ms, message).unref()
  let isOver = false
  const end = () => {
    isOver = true
    expire(`No end within ${totalMs} ms.`)
  }
  // Longer timers fire at once.
  const total = setTimeout(end, Math.min(totalMs, 2_147_483_647)).unref()
  let wait: NodeJS.Timeout | null = start(answerMs, `No answer within ${answerMs} ms.`)
  const rest = () => {
    if (wait !== null) clearTimeout(wait)
    wait = null
  }
  return {
    signal: caller === null ? late.signal : AbortSignal.any([caller, late.signal]),
    sent: () => void wait?.refresh(),
    awaitBytes() {
      rest()
      wait = start(idleMs, `Nothing came for ${idleMs} ms.`)
    },
    rest,
    stop() {
      rest()
      clearTimeout(total)
    },
    isOver: () => isOver,
  }
}

/** Returns a body that ends with an error when a limit of the clock passes. Only waits of its reader count as idle. */
export function limitBody(source: ReadableStream<Uint8Array>, clock: Clock): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  const { signal } = clock
  // Cancellations are not awaited: a source that hangs may hang them too.
  const limited: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      clock.awaitBytes()
      try {
        const { done, value } = await untilAborted(signal, reader.read())
        clock.rest()
        if (!done) return controller.enqueue(value)
        clock.stop()
        controller.close()
      } catch (error) {
        clock.stop()
        reader.cancel(error).catch(() => {})
        throw signal.aborted ? signal.reason : error
      }
    },
    cancel(reason) {
      clock.stop()
      reader.cancel(reason).catch(() => {})
    },
  }
  return new ReadableStream(limited, { highWaterMark: 0 })
}
