// What a prober's thread runs: it does what `createThreadProber` asks of it.
import type { LookupFunction } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { createProber } from './createProber.ts'
import type { Ask, ThreadAnswer, ThreadOptions, ToThread } from './threadMessages.ts'
import { yieldPriority } from './yieldPriority.ts'

// Calls are answered first.
yieldPriority()

const { asksLookup, ...options }: ThreadOptions = workerData
/** How each piece of work is called off. */
const running = new Map<number, AbortController>()
type Resolved = Extract<ToThread, { kind: 'resolved' }>
const resolving = new Map<number, (answer: Resolved) => void>()
let lastLookup = 0

const say = (answer: ThreadAnswer) => parentPort?.postMessage(answer)

const lookup: LookupFunction = (hostname, _options, answer) => {
  const id = ++lastLookup
  resolving.set(id, (resolved) => {
    if ('code' in resolved) answer(Object.assign(new Error(hostname), { code: resolved.code }), [])
    else answer(null, resolved.addresses)
  })
  say({ id, kind: 'lookup', hostname })
}
const prober = createProber(asksLookup ? { ...options, lookup } : options)

async function work(id: number, ask: Ask): Promise<void> {
  const controller = new AbortController()
  running.set(id, controller)
  const { signal } = controller
  const value =
    ask.kind === 'probe' ? await prober.probe(ask.target, signal) : await readDocument(ask.url, signal)
  running.delete(id)
  say({ id, kind: 'done', value })
}

async function readDocument(url: string, signal: AbortSignal): Promise<string | null | undefined> {
  let isOurs = false
  const text = await prober.document(url, signal, () => {
    isOurs = true
  })
  return isOurs ? undefined : text
}

parentPort?.on('message', (message: ToThread) => {
  const { id } = message
  if (message.kind === 'stop') running.get(id)?.abort()
  else if (message.kind === 'resolved') {
    resolving.get(id)?.(message)
    resolving.delete(id)
  } else void work(id, message)
})
