import { ClaimStateError, LeaseLostError, StoreUnavailableError } from '../facts/storeError.ts'
import { createThread, ThreadError } from '../lib/thread/createThread.ts'
import type { UnitName, UnitResult, UnitRunner } from './engine.ts'

/** The `workerData` of the thread. */
export type UnitThreadData = { readonly path: string; readonly isCounter: boolean }

/** Far above what a unit takes: V8 collects more often in a small heap, and lets a large one grow. */
const HEAP_MB = 512

/** Methods of the thread. */
export type UnitMethods = {
  run(unit: { readonly name: UnitName; readonly args: readonly unknown[] }): Promise<UnitResult>
}

/** Runs units in a thread. If it dies, open units are rejected: whether they are committed is unknown. */
export function createUnitThread(script: URL, data: UnitThreadData): UnitRunner {
  const thread = createThread<UnitMethods>({
    name: data.isCounter ? 'counter' : 'writer',
    script,
    data,
    heapMb: HEAP_MB,
    errors: { ClaimStateError, LeaseLostError, StoreUnavailableError },
    // Units wait no longer than this for a disk that is well again. Those that fail say why.
    maxDelayMs: 1000,
    onError: () => undefined,
  })
  const refuse = (error: unknown): never => {
    if (!(error instanceof ThreadError)) throw error
    throw new StoreUnavailableError(`The store is unavailable: ${error.message}`, { cause: error })
  }
  return {
    run: (name, args) => thread.call('run', { name, args }).catch(refuse),
    close: thread.finish,
  }
}
