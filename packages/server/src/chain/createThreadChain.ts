import { setMaxListeners } from 'node:events'
import { MoneyError } from '@touchstone402/shared'
import type { Chain, ChainOptions, ChainRead, ChainReads } from '@touchstone402/transfers'
import { ChainError, TokenError } from '@touchstone402/transfers/errors'
import {
  type CallOptions,
  createThread,
  ThreadError,
  type ThreadOptions,
} from '../lib/thread/createThread.ts'
import type { WorkLimits } from '../lib/thread/limitWork.ts'
import type { ChainMainMethods, ChainThreadData, ChainThreadMethods } from './chainThread.ts'
import { type AnyRead, makeReads } from './threadReads.ts'

/** How the chain's thread is started and supervised. */
export type ChainThreadOptions = Pick<ThreadOptions, 'script' | 'onError'> & {
  /** Maximum heap in MB. Columns of transfers are outside of it and have a bound of their own. */
  readonly heapMb: number
  /** Limits of a call to one RPC that is still open after its deadline; beyond them the thread hangs. */
  readonly limits: WorkLimits
}

type ReadName = keyof ChainReads
type Query = ChainRead & Readonly<Record<string, unknown>>

/** Paid calls wait no longer than this for another thread, in ms. */
const MAX_DELAY_MS = 1000

/**
 * Creates a chain that is read in a worker thread, so that reading and decoding logs do not delay the thread that serves
 * requests. If the thread dies, another one is started, and asked once more for the reads that were open.
 * @param onWarmError as for `createChain`
 */
export function createThreadChain(
  options: ChainOptions,
  { script, heapMb, limits, onError }: ChainThreadOptions,
  onWarmError: (token: string, reason: string) => void,
): Chain {
  const data: ChainThreadData = options
  const methods: ChainMainMethods = { noteCold: ({ token, reason }) => onWarmError(token, reason) }
  const thread = createThread<ChainThreadMethods>({
    name: 'chain',
    script,
    data,
    methods,
    errors: { ChainError, TokenError, MoneyError },
    heapMb,
    maxDelayMs: MAX_DELAY_MS,
    onError,
  })
  /** Ends the reads in progress. */
  const open = new Set<() => void>()
  let isClosed = false

  /** Limits single calls alone: a read may still compute after its deadline, and paid ones would end with it. */
  const limitsOf = (name: ReadName, { deadlineAt }: Query): CallOptions =>
    name === 'requestOf' && deadlineAt !== undefined
      ? { limits, graceMs: Math.max(0, deadlineAt - Date.now()) }
      : {}

  const ask = async (name: ReadName, query: Query, signal: AbortSignal, tries: number): Promise<unknown> => {
    try {
      return await thread.call(name, query as never, { ...limitsOf(name, query), signal })
    } catch (error) {
      if (!(error instanceof ThreadError)) throw error
      if (tries > 1 && !signal.aborted) return ask(name, query, signal, tries - 1)
      throw new ChainError('unreachable', `The chain cannot be read: ${error.message}`, { cause: error })
    }
  }

  const read = (name: ReadName, { signal, ...query }: Query): Promise<unknown> => {
    const given = new AbortController()
    const reading = new Promise((resolve, reject) => {
      const end = () => {
        given.abort()
        reject(new ChainError('deadline', isClosed ? 'The chain is closed' : 'The caller aborted'))
      }
      if (isClosed || signal?.aborted === true) return end()
      open.add(end)
      // Many reads share one signal; Node warns of a leak from the eleventh listener on.
      if (signal !== undefined) setMaxListeners(0, signal)
      signal?.addEventListener('abort', end, { once: true })
      // A day is limited in its requests, of which nothing is known once its thread is gone. Its queue tries again.
      ask(name, query, given.signal, name === 'day' ? 1 : 2)
        .finally(() => {
          open.delete(end)
          signal?.removeEventListener('abort', end)
        })
        .then(resolve, reject)
    })
    return reading
  }

  return {
    ...(makeReads(
      (name): AnyRead =>
        (query) =>
          read(name, query),
    ) as ChainReads),
    chainId: options.chainId,
    hosts: options.urls.map((url) => new URL(url).host),
    async close() {
      isClosed = true
      for (const end of open) end()
      await thread.finish()
    },
  }
}
