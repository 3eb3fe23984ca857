import { Worker } from 'node:worker_threads'
import { connectThread, THREAD_LIMITS, type ThreadConnection } from './connectThread.ts'
import { limitWork, type Overrun, type WorkLimits } from './limitWork.ts'

/** A thread that does one piece of work after the other. */
export type ThreadQueue<Work, Answer> = {
  /** Never rejects. Work whose signal aborted before its turn is not done. */
  ask(work: Work, signal?: AbortSignal): Promise<Done<Answer>>
  close(): Promise<void>
}

/** An answer, or why there is none. */
export type Done<Answer> = { readonly answer: Answer } | { readonly failure: Failure }

/**
 * `too_costly`: the work took more processor time or memory than it may. `own_fault`: this machine had no time for it, or
 * the thread ended, did not start or was closed.
 */
export type Failure = 'too_costly' | 'own_fault'

export type ThreadQueueOptions = {
  readonly script: URL
  /** Limits of one piece of work, beyond which the thread is ended. @default {@link WORK_LIMITS} */
  readonly limits?: WorkLimits
  /** Maximum heap of the thread in MB, beyond which it ends. @default 256 */
  readonly heapMb?: number
  /** Called with the reason when the thread ends over a piece of work, or cannot be started. */
  readonly onError?: (error: unknown) => void
}

const WORK_LIMITS: WorkLimits = { processorMs: 3000, waitMs: 60_000 }

/** Creates the queue. The thread starts with the first piece of work, and again with the next one after it ended. */
export function createThreadQueue<Work, Answer>({
  script,
  limits = WORK_LIMITS,
  heapMb = 256,
  onError = () => {},
}: ThreadQueueOptions): ThreadQueue<Work, Answer> {
  type Thread = {
    readonly worker: Worker
    readonly connection: ThreadConnection<Work, Answer>
    /** Why its work has no answer if it ends. */
    failure: Failure
  }
  let thread: Thread | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let isClosed = false

  const start = (): Thread => {
    const worker = new Worker(script, {
      resourceLimits: { ...THREAD_LIMITS, maxOldGenerationSizeMb: heapMb },
    })
    const connection = connectThread<Work, Answer, never>(worker, async () => undefined)
    const started: Thread = { worker, connection, failure: 'own_fault' }
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') started.failure = 'too_costly'
      onError(error)
    })
    worker.once('exit', () => {
      if (thread === started) thread = undefined
      connection.close()
    })
    return started
  }
  const describe = (overrun: Overrun) =>
    overrun === 'processor'
      ? `the work took more than ${limits.processorMs} ms of processor time; the thread is ended`
      : `no answer within ${limits.waitMs} ms: the machine is too busy, or the thread is stuck; it is ended`

  const run = async (work: Work, signal: AbortSignal | undefined): Promise<Done<Answer>> => {
    if (isClosed || signal?.aborted === true) return { failure: 'own_fault' }
    try {
      thread ??= start()
    } catch (error) {
      onError(error)
      return { failure: 'own_fault' }
    }
    const asked = thread
    const { worker, connection } = asked
    const endWatch = limitWork({ worker, loaded: connection.loaded }, limits, (overrun) => {
      if (overrun === 'processor') asked.failure = 'too_costly'
      onError(new Error(describe(overrun)))
    })
    const answer = await connection.ask(work).finally(endWatch)
    return answer === undefined ? { failure: asked.failure } : { answer }
  }
  return {
    ask(work, signal) {
      const done = turn.then(() => run(work, signal))
      turn = done
      return done
    },
    async close() {
      isClosed = true
      await thread?.worker.terminate()
    },
  }
}
