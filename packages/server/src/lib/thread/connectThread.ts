import { setMaxListeners } from 'node:events'

/** Functions of one end that the other calls by name. Inputs and results are cloned. */
export type Methods = { readonly [name: string]: (input: never, signal: AbortSignal) => unknown }

/** Result of a method. */
export type ResultOf<Method extends Methods[string]> = Awaited<ReturnType<Method>>

/** Calls a method of the other end. Aborting a call aborts the method's signal; the call still waits for its result. */
export type Call<M extends Methods, Options = AbortSignal> = <K extends keyof M & string>(
  name: K,
  input: Parameters<M[K]>[0],
  options?: Options,
) => Promise<ResultOf<M[K]>>

/** Classes of errors by their name. They hold nothing but name, message and code. */
export type ErrorClasses = Readonly<Record<string, new (...args: never[]) => Error>>

/** Methods, error classes and callback of one end. */
export type ConnectionOptions = {
  /** Functions that the other end may call. @default none */
  readonly methods?: Methods
  /** Classes of the other end's errors. Any other arrives as `Error`, with its message and code. @default none */
  readonly errors?: ErrorClasses
  /** Called when the other end asks this one to finish, after all open calls. @default ignored */
  readonly onFinish?: () => Promise<void>
}

/** One end of a connection between two threads. Either end calls the other. */
export type ThreadConnection<M extends Methods> = {
  call: Call<M>
  /** Resolves when the other end has called `tellLoaded`, to its number in the operating system, if known. */
  readonly loaded: Promise<number | null>
  /** Tells the other end that this thread has loaded what it needs. @param task its number in the operating system */
  tellLoaded(task: number | null): void
  /** Asks the other end to end its open calls and then itself. */
  finish(): void
  /** Rejects all open calls. */
  close(reason: Error): void
}

type CallMessage = {
  readonly kind: 'call'
  readonly id: number
  readonly name: string
  readonly input: never
}
type Failure = { readonly name: string; readonly message: string; readonly code?: unknown }
type Message =
  | CallMessage
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: Failure }
  | { readonly kind: 'loaded'; readonly task?: number | null }
  | { readonly kind: 'finish' }

/** The parts of a `Worker` or a `MessagePort` that a connection needs. */
type Port = {
  on(event: 'message', listener: (message: Message) => void): unknown
  postMessage(message: unknown): void
}

/** Connects to the other thread of a port. */
export function connectThread<M extends Methods>(
  port: Port,
  { methods = {}, errors = {}, onFinish }: ConnectionOptions,
): ThreadConnection<M> {
  const waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>()
  const serving = new Map<number, { readonly aborter: AbortController; readonly served: Promise<void> }>()
  let lastId = 0
  let markLoaded = (_task: number | null) => {}
  const loaded = new Promise<number | null>((resolve) => {
    markLoaded = resolve
  })
  const send = (message: Message) => port.postMessage(message)

  async function serve({ id, name, input }: CallMessage, signal: AbortSignal): Promise<void> {
    try {
      const method = methods[name]
      if (method === undefined) throw new Error(`The thread has no method "${name}"`)
      send({ kind: 'result', id, result: await method(input, signal) })
    } catch (error) {
      send({ kind: 'error', id, error: describeError(error) })
    }
  }
  port.on('message', (message) => {
    if (message.kind === 'call') {
      const aborter = new AbortController()
      const served = serve(message, aborter.signal).finally(() => serving.delete(message.id))
      serving.set(message.id, { aborter, served })
    } else if (message.kind === 'abort') serving.get(message.id)?.aborter.abort()
    else if (message.kind === 'result') waiting.get(message.id)?.resolve(message.result as never)
    else if (message.kind === 'error') waiting.get(message.id)?.reject(reviveError(message.error, errors))
    else if (message.kind === 'loaded') markLoaded(message.task ?? null)
    else void Promise.all([...serving.values()].map(({ served }) => served)).then(onFinish)
  })
  return {
    async call<K extends keyof M & string>(
      name: K,
      input: Parameters<M[K]>[0],
      signal?: AbortSignal,
    ): Promise<ResultOf<M[K]>> {
      const id = ++lastId
      const abort = () => send({ kind: 'abort', id })
      if (signal !== undefined) {
        // Many calls share one signal; Node warns of a leak from the eleventh listener on.
        setMaxListeners(0, signal)
        signal.addEventListener('abort', abort, { once: true })
      }
      try {
        return await new Promise<ResultOf<M[K]>>((resolve, reject) => {
          waiting.set(id, { resolve, reject })
          send({ kind: 'call', id, name, input: input as never })
        })
      } finally {
        waiting.delete(id)
        signal?.removeEventListener('abort', abort)
      }
    },
    loaded,
    tellLoaded: (task) => send({ kind: 'loaded', task }),
    finish: () => send({ kind: 'finish' }),
    close(reason) {
      for (const { reject } of waiting.values()) reject(reason)
    },
  }
}

/** Classes and codes are lost when an error is cloned. */
function describeError(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const code = 'code' in error && /^(string|number)$/.test(typeof error.code) ? error.code : undefined
  return { name: error.name, message: error.message, ...(code !== undefined && { code }) }
}

/** Makes an error of its class, whose constructor is not called: each takes other arguments. */
function reviveError({ name, message, code }: Failure, errors: ErrorClasses): Error {
  const known = Object.hasOwn(errors, name) ? errors[name] : undefined
  const error: Error = Reflect.construct(Error, [message], known ?? Error)
  return Object.assign(error, known && { name }, code !== undefined && { code })
}
