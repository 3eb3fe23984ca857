import { Worker } from 'node:worker_threads'
import { codeOf, messageOf } from '../errors.ts'
import {
  type Call,
  type ConnectionOptions,
  connectThread,
  type Methods,
  type ResultOf,
  type ThreadConnection,
} from './connectThread.ts'
import { describeOverrun, limitWork, type WorkLimits } from './limitWork.ts'
import { countThread } from './threadSeconds.ts'

/** A worker thread that starts with the first call, and again with the next call after it ended. */
export type Thread<M extends Methods> = {
  /**
   * Calls a method of the thread. A call is never repeated: one that fails may have been done.
   * @throws ThreadError if there is no answer
   * @throws the error of the method
   */
  readonly call: Call<M, CallOptions>
  /** Lets open calls finish, then ends the thread. Refuses later calls. */
  finish(): Promise<void>
  /** Ends the thread now, so that open calls fail. Refuses later calls. */
  close(): Promise<void>
}

/** Options of one call. */
export type CallOptions = {
  /** Aborts the work in the thread. If it has aborted before, the call fails and nothing is done. */
  readonly signal?: AbortSignal | undefined
  /** Limits beyond which the thread is ended, with all of its open calls. @default none */
  readonly limits?: WorkLimits
  /** Time before the limits apply, in ms. @default 0 */
  readonly graceMs?: number
}

/** Options of {@link createThread}. */
export type ThreadOptions = Pick<ConnectionOptions, 'methods' | 'errors'> & {
  /** Name in metrics and tools. */
  readonly name: string
  /** The built script, which calls `serveThread`. */
  readonly script: URL
  /** The `workerData` of the script. @default none */
  readonly data?: unknown
  /** Maximum heap in MB, beyond which the thread ends. @default Node's */
  readonly heapMb?: number
  /** Longest back-off in ms: how long calls fail at once after threads that ended soon after their start. @default 60,000 */
  readonly maxDelayMs?: number
  /** Called with the reason each time the thread ends unasked or cannot be started. */
  readonly onError: (error: unknown) => void
}

/** Thrown when a thread cannot answer. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError'
  /** @param isTooCostly whether the thread took more processor time or memory than it may; if not, the fault is ours */
  constructor(
    message: string,
    readonly isTooCostly: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

type Running<M extends Methods> = {
  readonly worker: Worker
  readonly connection: ThreadConnection<M>
  readonly ended: Promise<void>
  readonly startedAt: number
  /** Why it ends. */
  failure?: ThreadError
}

/** Node gives each thread three semi-spaces of 16 MB to fill before it collects, which small pieces of work never need. */
const YOUNG_MB = 12
/** A life shorter than this, ms, counts as a failed start. */
const MIN_LIFE_MS = 10_000
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 60_000

/**
 * Creates a thread. When it dies, hangs or exceeds a limit, its open calls fail. Threads that keep dying soon after
 * their start are started with exponential back-off, during which calls fail at once.
 */
export function createThread<M extends Methods>(options: ThreadOptions): Thread<M> {
  const { name, script, data, heapMb, maxDelayMs = MAX_DELAY_MS, onError } = options
  /** Takes calls. */
  let running: Running<M> | undefined
  /** The one that started last, which may be ending. */
  let last: Running<M> | undefined
  let isClosed = false
  let failedStarts = 0
  let restsUntil = Number.NEGATIVE_INFINITY
  /** Why the last thread ended. */
  let lastReason: unknown

  /** The first failed start costs no delay, because it may be chance. */
  const noteEnd = (isFailedStart: boolean) => {
    failedStarts = isFailedStart ? failedStarts + 1 : 0
    if (failedStarts < 2) return
    restsUntil = performance.now() + Math.min(FIRST_DELAY_MS * 2 ** (failedStarts - 2), maxDelayMs)
  }
  /** Lets the next call start another thread. Calls of this one fail once it has ended. */
  const giveUp = (thread: Running<M>, failure: ThreadError) => {
    if (thread.failure !== undefined) return
    thread.failure = failure
    if (running === thread) running = undefined
    lastReason = failure.cause ?? failure
    // Costly work says nothing about the next one, which must not wait for it.
    if (!failure.isTooCostly) noteEnd(performance.now() - thread.startedAt < MIN_LIFE_MS)
    onError(lastReason)
  }
  const openWorker = (): Worker => {
    try {
      return new Worker(script, {
        name,
        workerData: data,
        resourceLimits: {
          maxYoungGenerationSizeMb: YOUNG_MB,
          ...(heapMb !== undefined && { maxOldGenerationSizeMb: heapMb }),
        },
      })
    } catch (error) {
      lastReason = error
      noteEnd(true)
      onError(error)
      throw new ThreadError(`The thread cannot be started: ${messageOf(error)}`, false, { cause: error })
    }
  }
  const start = (): Running<M> => {
    if (performance.now() < restsUntil)
      throw new ThreadError(
        `The thread is in back-off after failed starts: ${messageOf(lastReason)}`,
        false,
        {
          cause: lastReason,
        },
      )
    const worker = openWorker()
    const connection = connectThread<M>(worker, options)
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    const started: Running<M> = { worker, connection, ended, startedAt: performance.now() }
    void connection.loaded.then((task) => void ended.then(countThread(name, task)))
    worker.on('error', (error) => {
      // Without a limit of its own, memory is no matter of one piece of work.
      const isTooCostly = heapMb !== undefined && codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY'
      giveUp(started, new ThreadError(`The thread ended: ${messageOf(error)}`, isTooCostly, { cause: error }))
    })
    worker.once('exit', (code) => {
      if (!isClosed) giveUp(started, new ThreadError(`The thread ended with code ${code}`, false))
      connection.close(started.failure ?? new ThreadError('The thread is closed', false))
    })
    last = started
    return started
  }

  async function call<K extends keyof M & string>(
    method: K,
    input: Parameters<M[K]>[0],
    { signal, limits, graceMs = 0 }: CallOptions = {},
  ): Promise<ResultOf<M[K]>> {
    if (isClosed) throw new ThreadError('The thread is closed', false)
    if (signal?.aborted === true) throw new ThreadError('The call was aborted before it began', false)
    running ??= start()
    const thread = running
    let endWatch = () => {}
    const watch = (limited: WorkLimits) => {
      endWatch = limitWork(thread, limited, (overrun) =>
        giveUp(thread, new ThreadError(describeOverrun(overrun, limited), overrun === 'processor')),
      )
    }
    const timer = limits && setTimeout(watch, graceMs, limits)
    try {
      return await thread.connection.call(method, input, signal)
    } finally {
      clearTimeout(timer)
      endWatch()
    }
  }
  return {
    call,
    async finish() {
      isClosed = true
      last?.connection.finish()
      await last?.ended
    },
    async close() {
      isClosed = true
      await last?.worker.terminate()
    },
  }
}
