import { Worker } from 'node:worker_threads'
import { ClaimStateError, LeaseLostError, StoreUnavailableError } from '../facts/storeError.ts'
import { connectThread, THREAD_LIMITS } from '../lib/connectThread.ts'
import type { UnitName, UnitResult, UnitRunner } from './engine.ts'

/** Options of the store that a thread opens. */
export type UnitThreadOptions = { readonly path: string; readonly isCounter: boolean }

/** Message to the thread; null closes its connection after all earlier units. */
export type UnitRequest = { readonly name: UnitName; readonly args: readonly unknown[] } | null

/** Reply of the thread. Errors are sent by name, since classes do not cross threads. */
export type UnitAnswer = { readonly done: UnitResult } | { readonly error: string; readonly message: string }

const ERRORS: Readonly<Record<string, new (message: string) => Error>> = {
  ClaimStateError,
  LeaseLostError,
  StoreUnavailableError,
}

/** Runs units in a thread. If it dies, pending requests are rejected, and the next one starts another. */
export function createUnitThread(script: URL, options: UnitThreadOptions): UnitRunner {
  let thread: ReturnType<typeof start> | undefined
  let isClosing = false

  const start = () => {
    const worker = new Worker(script, { workerData: options, resourceLimits: THREAD_LIMITS })
    const connection = connectThread<UnitRequest, UnitAnswer, never>(worker, async () => undefined)
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    // Without a listener, an error in the thread would end the process. Open requests see that the thread has ended.
    worker.on('error', () => undefined)
    void ended.then(() => {
      thread = undefined
      return connection.close()
    })
    return { ask: connection.ask, ended }
  }
  return {
    async run(name, args) {
      if (isClosing) throw new StoreUnavailableError('The store is closed')
      thread ??= start()
      const answer = await thread.ask({ name, args })
      if (answer === undefined) throw new StoreUnavailableError('The thread of the store has ended')
      if ('done' in answer) return answer.done
      throw new (ERRORS[answer.error] ?? Error)(answer.message)
    },
    async close() {
      isClosing = true
      void thread?.ask(null)
      await thread?.ended
    },
  }
}
