import { setMaxListeners } from 'node:events'

/**
 * Limits of each worker thread. Node gives each one three semi-spaces of 16 MB to fill before it collects, which a thread
 * that does small pieces of work never needs.
 */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 12 }

/** One end of a connection between two threads. Either end sends requests and answers the other's. */
export type ThreadConnection<Request, Answer> = {
  /** Resolves to the answer, or to undefined after `close`. Aborting `signal` aborts the work in the other thread. */
  ask(request: Request, signal?: AbortSignal): Promise<Answer | undefined>
  /** Resolves when the other end has called `sayLoaded`. */
  readonly loaded: Promise<void>
  /** Tells the other end that this one can work: its thread has loaded what it needs. */
  sayLoaded(): void
  /** Resolves every open request with undefined. */
  close(): void
}

type Message<Request, Answer> = { readonly id: number } & (
  | { readonly kind: 'loaded' }
  | { readonly kind: 'request'; readonly request: Request }
  | { readonly kind: 'abort' }
  | { readonly kind: 'answer'; readonly answer: Answer }
)

/** The parts of a `Worker` or a `MessagePort` that a connection needs. */
type Port<Message> = {
  on(event: 'message', listener: (message: Message) => void): unknown
  postMessage(message: unknown): void
}

/**
 * Connects to the other thread of a port.
 * @param serve answers the other thread's requests; must not reject
 */
export function connectThread<Request, Answer, Served>(
  port: Port<Message<Served, Answer>>,
  serve: (request: Served, signal: AbortSignal) => Promise<unknown>,
): ThreadConnection<Request, Answer> {
  const waiting = new Map<number, (answer: Answer | undefined) => void>()
  const serving = new Map<number, AbortController>()
  let lastId = 0
  let markLoaded = () => {}
  const loaded = new Promise<void>((resolve) => {
    markLoaded = resolve
  })
  port.on('message', async (message) => {
    const { id } = message
    if (message.kind === 'answer') return waiting.get(id)?.(message.answer)
    if (message.kind === 'loaded') return markLoaded()
    if (message.kind === 'abort') return serving.get(id)?.abort()
    const controller = new AbortController()
    serving.set(id, controller)
    const answer = await serve(message.request, controller.signal)
    serving.delete(id)
    port.postMessage({ id, kind: 'answer', answer })
  })
  return {
    loaded,
    sayLoaded: () => port.postMessage({ id: 0, kind: 'loaded' }),
    async ask(request, signal) {
      const id = ++lastId
      const abort = () => port.postMessage({ id, kind: 'abort' })
      if (signal !== undefined) {
        // Many requests share one signal; Node warns of a leak from the eleventh listener on.
        setMaxListeners(0, signal)
        signal.addEventListener('abort', abort, { once: true })
      }
      try {
        return await new Promise<Answer | undefined>((resolve) => {
          waiting.set(id, resolve)
          port.postMessage({ id, kind: 'request', request })
        })
      } finally {
        waiting.delete(id)
        signal?.removeEventListener('abort', abort)
      }
    },
    close() {
      for (const resolve of waiting.values()) resolve(undefined)
    },
  }
}
