import type { LookupAddress } from 'node:dns'
import { Worker } from 'node:worker_threads'
import { createClients } from '../../facts/clientIdentities.ts'
import type { OwnFault } from '../../facts/facts.ts'
import { connectThread, THREAD_LIMITS, type ThreadConnection } from '../../lib/connectThread.ts'
import { limitWork, type Overrun, type WorkLimits } from '../../lib/limitWork.ts'
import type { ProbeResult, Prober, ProbeTarget } from '../../ports/prober.ts'
import { createAddressPolicy } from '../addressPolicy.ts'
import { DEADLINE_MS, type ProberOptions } from '../createProber.ts'
import { describeOwnFault } from '../describeProbe.ts'
import { readCode } from '../errors.ts'
import { fromLookup } from '../resolveHost.ts'
import { createBackoff } from './createBackoff.ts'

/** A request to the prober thread. */
export type Work =
  | { readonly kind: 'probe'; readonly target: ProbeTarget }
  | { readonly kind: 'document'; readonly url: string; readonly maxBytes?: number | undefined }

/** Answer to one {@link Work}. */
export type WorkAnswer = {
  readonly result?: ProbeResult
  readonly document?: string | null
  /** Why no document could be read, through a fault of ours. */
  readonly ownFault?: OwnFault
}

/** Answer to a look-up that the thread asked for: the addresses, or a resolver's error code. */
export type LookupAnswer = { readonly addresses: readonly LookupAddress[] } | { readonly code: string }

/** The `workerData` of the prober thread. */
export type ThreadOptions = Omit<ProberOptions, 'lookup'> & {
  /** Whether the thread asks the main thread to resolve names, since a function cannot be cloned. */
  readonly hasLookup: boolean
}

/** How the prober thread is started and supervised. */
export type ThreadSettings = {
  /** @default the built script beside the bundle */
  readonly script?: URL
  /** Limits of a probe that is still open after its deadline; beyond them the thread hangs. @default {@link LATE_LIMITS} */
  readonly lateLimits?: WorkLimits
  /** Called with the reason when a thread dies, hangs or cannot be started. */
  readonly onError?: (error: unknown) => void
}

type Thread = { readonly worker: Worker; readonly connection: ThreadConnection<Work, WorkAnswer> }

/** A thread that works answers as soon as it finds a passed deadline. */
const LATE_LIMITS: WorkLimits = { processorMs: 5_000, waitMs: 60_000 }

const BUILT_SCRIPT = new URL('./proberThread.js', import.meta.url)

/**
 * Creates a prober that runs in a worker thread, so that TLS handshakes, parsing and their garbage do not delay the
 * thread that serves requests. When the thread dies or hangs, its open probes are `not_measured` and the next probe
 * starts another thread, after a back-off if threads keep dying.
 * @throws as `createProber` does
 */
export function createThreadProber(options: ProberOptions, settings: ThreadSettings = {}): Prober {
  const { script = BUILT_SCRIPT, lateLimits = LATE_LIMITS, onError = () => {} } = settings
  const { lookup, deadlineMs = DEADLINE_MS, ...rest } = options
  const resolve = lookup && fromLookup(lookup)
  const workerData: ThreadOptions = { ...rest, deadlineMs, hasLookup: lookup !== undefined }
  const clients = createClients(options.contact)
  // Throws for invalid options here, before a thread does.
  createAddressPolicy(options)
  const backoff = createBackoff()
  let thread: Thread | undefined
  let isClosed = false

  const answerLookup = async (hostname: string): Promise<LookupAnswer> => {
    try {
      return { addresses: (await resolve?.(hostname)) ?? [] }
    } catch (error) {
      return { code: readCode(error) ?? 'UNKNOWN' }
    }
  }
  /** Starts a thread. Returns undefined during a back-off, or when the system refuses another thread. */
  const start = (): Thread | undefined => {
    if (backoff.isResting()) return undefined
    const died = backoff.started()
    let worker: Worker
    try {
      worker = new Worker(script, { workerData, resourceLimits: THREAD_LIMITS })
    } catch (error) {
      died()
      onError(error)
      return undefined
    }
    const started = { worker, connection: connectThread<Work, WorkAnswer, string>(worker, answerLookup) }
    worker.on('error', onError)
    worker.once('exit', () => {
      died()
      if (thread === started) thread = undefined
      started.connection.close()
    })
    return started
  }
  const giveUp = (hung: Thread, overrun: Overrun) => {
    if (thread !== hung) return
    thread = undefined
    onError(
      new Error(
        overrun === 'processor'
          ? 'the prober thread hangs and is terminated'
          : 'the machine is too busy, or the prober thread is stuck: it is terminated',
      ),
    )
  }

  /** Resolves to undefined if no thread can answer. */
  async function ask(work: Work, signal: AbortSignal | undefined, limitMs = deadlineMs) {
    if (isClosed || signal?.aborted === true) return undefined
    thread ??= start()
    const asked = thread
    if (asked === undefined) return undefined
    const { worker, connection } = asked
    let endWatch = () => {}
    const deadline = setTimeout(() => {
      endWatch = limitWork({ worker, loaded: connection.loaded }, lateLimits, (overrun) =>
        giveUp(asked, overrun),
      )
    }, limitMs)
    return connection.ask(work, signal).finally(() => {
      clearTimeout(deadline)
      endWatch()
    })
  }

  return {
    clients: clients.length,
    async probe(target, signal) {
      const answer = await ask({ kind: 'probe', target }, signal, target.deadlineMs)
      return answer?.result ?? describeOwnFault(target, clients)
    },
    async document(url, signal, onOwnFault, maxBytes) {
      const answer = await ask({ kind: 'document', url, maxBytes }, signal)
      if (answer?.document === undefined) onOwnFault?.(answer?.ownFault ?? 'own_fault')
      return answer?.document ?? null
    },
    async close() {
      isClosed = true
      await thread?.worker.terminate()
    },
  }
}
