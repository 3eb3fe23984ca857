import { setMaxListeners } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ProbeResult, Prober, ProbeTarget } from '../../ports/prober.ts'
import { createAddressPolicy } from './addressPolicy.ts'
import { createClients } from './clients.ts'
import { createBackoff } from './createBackoff.ts'
import { DEADLINE_MS, describeOwnFault, type ProberOptions } from './createProber.ts'
import { fromLookup, readCode } from './resolveHost.ts'
import type { Ask, ThreadAnswer, ThreadOptions, ToThread } from './threadMessages.ts'

/** A thread, and what is to be told of it for each piece of its work. */
type Thread = { readonly worker: Worker; readonly waiting: Map<number, (value: unknown) => void> }

/** How a prober's thread is run. */
export type ThreadSettings = {
  /** @default the built one, beside the bundle */
  readonly script?: URL
  /** Takes why a thread ended that nobody has ended. */
  readonly onError?: (error: unknown) => void
}

const BUILT_SCRIPT = new URL('./proberThread.js', import.meta.url)
/** So long after its deadline a probe that has not ended tells of a thread that stands still, ms. */
const GRACE_MS = 5_000

/**
 * Creates a prober in a thread of its own: handshakes, what sellers send, and the garbage of both take nothing from
 * the thread that answers calls. Where the thread dies or stands still, what it was at is `not_measured`, and the next
 * probe starts another one, after a rest where threads keep dying.
 * @throws as `createProber` does
 */
export function createThreadProber(options: ProberOptions, settings: ThreadSettings = {}): Prober {
  const { script = BUILT_SCRIPT, onError = () => {} } = settings
  const { lookup, ...rest } = options
  const { deadlineMs = DEADLINE_MS } = options
  const resolve = lookup && fromLookup(lookup)
  const workerData: ThreadOptions = { ...rest, asksLookup: lookup !== undefined }
  const clients = createClients(options.contact)
  // The thread would only say so once it is asked.
  createAddressPolicy(options)
  const backoff = createBackoff()
  let thread: Thread | undefined
  let isClosed = false
  let lastId = 0

  const answerLookup = async (to: Worker, id: number, hostname: string) => {
    const answer = await resolve?.(hostname).then(
      (addresses) => ({ addresses: [...addresses] }),
      (error: unknown) => ({ code: readCode(error) ?? 'UNKNOWN' }),
    )
    if (answer !== undefined) to.postMessage({ id, kind: 'resolved', ...answer } satisfies ToThread)
  }
  /** Gives undefined while threads rest, and where the machine has none left to give. */
  const open = (): Thread | undefined => {
    if (backoff.isResting()) return undefined
    const died = backoff.started()
    let worker: Worker
    try {
      worker = new Worker(script, { workerData })
    } catch (error) {
      died()
      onError(error)
      return undefined
    }
    const waiting: Thread['waiting'] = new Map()
    const opened = { worker, waiting }
    worker.on('message', (message: ThreadAnswer) => {
      if (message.kind === 'lookup') void answerLookup(worker, message.id, message.hostname)
      else waiting.get(message.id)?.(message.value)
    })
    worker.on('error', onError)
    worker.once('exit', () => {
      died()
      if (thread === opened) thread = undefined
      for (const answer of waiting.values()) answer(undefined)
    })
    return opened
  }
  /** What was asked of it meanwhile is answered with its end; what comes next is for another one. */
  const giveUp = (stuck: Thread) => {
    if (thread !== stuck) return
    thread = undefined
    onError(new Error('the thread of the prober stands still'))
    void stuck.worker.terminate()
  }

  /** Resolves to undefined where the thread cannot say. */
  async function ask(question: Ask, signal: AbortSignal | undefined, limitMs = deadlineMs): Promise<unknown> {
    if (isClosed || signal?.aborted === true) return undefined
    thread ??= open()
    const asked = thread
    if (asked === undefined) return undefined
    const { worker, waiting } = asked
    const id = ++lastId
    const stop = () => worker.postMessage({ id, kind: 'stop' } satisfies ToThread)
    // In two steps: where the whole process stood still, the thread has yet to get its time.
    let watchdog = setTimeout(() => {
      watchdog = setTimeout(() => giveUp(asked), GRACE_MS)
    }, limitMs)
    if (signal !== undefined) {
      // Many probes share one caller's signal; node warns of a leak from the eleventh on.
      setMaxListeners(0, signal)
      signal.addEventListener('abort', stop, { once: true })
    }
    try {
      return await new Promise((answer) => {
        waiting.set(id, answer)
        worker.postMessage({ id, ...question } satisfies ToThread)
      })
    } finally {
      waiting.delete(id)
      clearTimeout(watchdog)
      signal?.removeEventListener('abort', stop)
    }
  }

  return {
    clients: clients.length,
    async probe(target: ProbeTarget, signal) {
      const result = (await ask({ kind: 'probe', target }, signal, target.deadlineMs)) as
        | ProbeResult
        | undefined
      return result ?? describeOwnFault(target, clients)
    },
    async document(url, signal, onOwnFault) {
      const text = (await ask({ kind: 'document', url }, signal)) as string | null | undefined
      if (text === undefined) onOwnFault?.()
      return text ?? null
    },
    async close() {
      isClosed = true
      await thread?.worker.terminate()
    },
  }
}
