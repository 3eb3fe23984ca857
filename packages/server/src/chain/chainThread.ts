// Entry point of the worker thread that `createThreadChain` starts. It keeps its priority: paid answers wait for it.
import { workerData } from 'node:worker_threads'
import { type ChainOptions, type ChainReads, createChain } from '@touchstone402/transfers'
import { messageOf } from '../lib/errors.ts'
import { serveThread } from '../lib/thread/serveThread.ts'
import { makeReads } from './threadReads.ts'

/** The `workerData` of the thread. */
export type ChainThreadData = ChainOptions

/** Methods of the main thread. */
export type ChainMainMethods = { noteCold(token: { readonly token: string; readonly reason: string }): void }

/** Methods of the thread: the reads of a chain. The signal of a query is that of the call. */
export type ChainThreadMethods = {
  [Name in keyof ChainReads]: (
    query: Omit<Parameters<ChainReads[Name]>[0], 'signal'>,
    signal: AbortSignal,
  ) => ReturnType<ChainReads[Name]>
}

const data: ChainThreadData = workerData
const chain = createChain(data, (token, error) => {
  void callMain('noteCold', { token, reason: messageOf(error) })
})
const callMain = serveThread<ChainMainMethods>(
  makeReads((name) => (query: object, signal: AbortSignal) => chain[name]({ ...query, signal } as never)),
  chain.close,
)
