import { setMaxListeners } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ProbeResult, Prober, ProbeTarget } from '../../ports/prober.ts'
import { createAddressPolicy } from './addressPolicy.ts'
import { createClients } from './clients.ts'
import { DEADLINE_MS, describeOwnFault, type ProberOptions } from './createProber.ts'
import { fromLookup } from './resolveHost.ts'
import type { Ask, ThreadAnswer, ThreadOptions, ToThread } from './threadMessages.ts'

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
 * probe starts another one.
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
  const waiting = new Map<number, (value: unknown) => void>()
  let thread: Worker | undefined
  let isClosed = false
  let lastId = 0

  const answerLookup = async (to: Worker, id: number, hostname: string) => {
    const answer = await resolve?.(hostname).then(
      (addresses) => ({ addresses: addresses.map(({ address, family }) => ({ address, family })) }),
      (error: unknown) => ({ code: String((error as NodeJS.ErrnoException | undefined)?.code ?? 'UNKNOWN') }),
    )
    if (answer !== undefined) to.postMessage({ id, kind: 'resolved', ...answer } satisfies ToThread)
  }
  const open = (): Worker => {
    const opened = new Worker(script, { workerData })
    opened.on('message', (message: ThreadAnswer) => {
      if (message.kind === 'lookup') void answerLookup(opened, message.id, message.hostname)
      else take(message.id, message.value)
    })
    opened.on('error', onError)
    opened.once('exit', () => {
      if (thread === opened) thread = undefined
      for (const id of [...waiting.keys()]) take(id, undefined)
    })
    return opened
  }
  const take = (id: number, value: unknown) => {
    waiting.get(id)?.(value)
    waiting.delete(id)
  }

  /** Resolves to undefined where the thread cannot say. */
  async function ask(question: Ask, signal: AbortSignal | undefined, limitMs = deadlineMs): Promise<unknown> {
    if (isClosed || signal?.aborted === true) return undefined
    thread ??= open()
    const asked = thread
    const id = ++lastId
    const stop = () => asked.postMessage({ id, kind: 'stop' } satisfies ToThread)
    const watchdog = setTimeout(() => {
      onError(new Error('the thread of the prober stands still'))
      void asked.terminate()
    }, limitMs + GRACE_MS)
    if (signal !== undefined) {
      // Many probes share one caller's signal; node warns of a leak from the eleventh on.
      setMaxListeners(0, signal)
      signal.addEventListener('abort', stop, { once: true })
    }
    try {
      return await new Promise((answer) => {
        waiting.set(id, answer)
        asked.postMessage({ id, ...question } satisfies ToThread)
      })
    } finally {
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
    async document(url, signal) {
      return ((await ask({ kind: 'document', url }, signal)) as string | null | undefined) ?? null
    },
    async close() {
      isClosed = true
      await thread?.terminate()
    },
  }
}
