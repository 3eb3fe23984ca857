import { Worker } from 'node:worker_threads'
import { connectThread, THREAD_LIMITS, type ThreadConnection } from './connectThread.ts'

/** A thread that does one piece of work after the other. */
export type ThreadQueue<Work, Answer> = {
  /** Resolves to the answer; to undefined if the thread ended over it, or the signal aborted before its turn. */
  ask(work: Work, signal?: AbortSignal): Promise<Answer | undefined>
  close(): Promise<void>
}

export type ThreadQueueOptions = {
  readonly script: URL
  /** Time for one piece of work in ms, after which the thread is ended. @default 3000 */
  readonly limitMs?: number
  /** Further time for an answer that is under way while this thread was busy, in ms. @default 500 */
  readonly graceMs?: number
  /** Maximum heap of the thread in MB, beyond which it ends. @default 256 */
  readonly heapMb?: number
  /** Called with the reason when the thread ends over a piece of work, or cannot be started. */
  readonly onError?: (error: unknown) => void
}

/** Creates the queue. The thread starts with the first piece of work, and again with the next one after it ended. */
export function createThreadQueue<Work, Answer>({
  script,
  limitMs = 3000,
  graceMs = 500,
  heapMb = 256,
  onError = () => {},
}: ThreadQueueOptions): ThreadQueue<Work, Answer> {
  type Thread = { readonly worker: Worker; readonly connection: ThreadConnection<Work, Answer> }
  let thread: Thread | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let isClosed = false

  const start = (): Thread => {
    const worker = new Worker(script, {
      resourceLimits: { ...THREAD_LIMITS, maxOldGenerationSizeMb: heapMb },
    })
    const started = { worker, connection: connectThread<Work, Answer, never>(worker, async () => undefined) }
    worker.on('error', onError)
    worker.once('exit', () => {
      if (thread === started) thread = undefined
      started.connection.close()
    })
    return started
  }
  const run = async (work: Work, signal: AbortSignal | undefined): Promise<Answer | undefined> => {
    if (isClosed || signal?.aborted === true) return undefined
    try {
      thread ??= start()
    } catch (error) {
      onError(error)
      return undefined
    }
    const { worker, connection } = thread
    // Two timers: if this thread was busy, the first fires late and the answer may already be there.
    let watchdog = setTimeout(() => {
      watchdog = setTimeout(() => {
        onError(new Error(`no answer within ${limitMs} ms; the thread is ended`))
        void worker.terminate()
      }, graceMs)
    }, limitMs)
    return connection.ask(work).finally(() => clearTimeout(watchdog))
  }
  return {
    ask(work, signal) {
      const answer = turn.then(() => run(work, signal))
      turn = answer.catch(() => undefined)
      return answer
    },
    async close() {
      isClosed = true
      await thread?.worker.terminate()
    },
  }
}
