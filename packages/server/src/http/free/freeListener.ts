import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Express } from 'express'
import type { RequestRecord } from '../deps.ts'
import { type RefusalOptions, sendError } from '../problems.ts'
import { clientKey, type Limiter, tooManyCalls } from '../rateLimit.ts'
import { DATA_HEADERS, setHeaders } from '../securityHeaders.ts'
import type { AnswerCache, CachedAnswer } from './answerCache.ts'
import type { FreeRoute } from './freeRoute.ts'
import { type Form, formFor, type ReadyAnswer, send } from './readyAnswer.ts'

export type FreeListenerDeps = RefusalOptions & {
  /** Handles all other requests. */
  app: Express
  cache: AnswerCache
  /** Routes of the free operations by path. */
  routes: ReadonlyMap<string, FreeRoute>
  limiter: Limiter
  onRequest?: ((record: RequestRecord) => void) | undefined
}

/** A call of a free operation that was not in the cache. */
type Call = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly client: string
  /** By `performance.now`; undefined for a cache hit. */
  readonly startedMs: number | undefined
}

/**
 * Creates a listener that answers free operations, from the cache if possible, and passes other requests to Express.
 * Express costs several times as much as a plain listener.
 */
export function createFreeListener(deps: FreeListenerDeps): RequestListener {
  const { app, cache, routes, limiter, onRequest } = deps
  const trust = app.get('trust proxy fn')

  // Called right after the write: a listener for the end of each answer costs about a tenth of the throughput.
  const record = ({ request, response, path, client, startedMs }: Call) =>
    onRequest?.({
      route: path,
      method: request.method ?? 'GET',
      status: response.statusCode,
      durationMs: startedMs === undefined ? 0 : performance.now() - startedMs,
      client,
      fromMemory: startedMs === undefined,
      isAborted: response.destroyed,
    })

  const finish = (call: Call, ready: ReadyAnswer, form: Form) => {
    send(call.request, call.response, ready, form)
    record(call)
  }

  const answer = (call: Call, { ready }: CachedAnswer) => {
    const form = formFor(ready, call.request)
    if (!(form instanceof Promise)) return finish(call, ready, form)
    // Compression fails only if memory runs out; then drop the connection.
    form.then((coded) => finish(call, ready, coded)).catch(() => call.response.destroy())
  }

  const refuse = (call: Call, error: unknown) => {
    setHeaders(call.response, DATA_HEADERS)
    sendError(call.request, call.response, error, deps)
    record(call)
  }

  const make = async (call: Call, route: FreeRoute, target: string) => {
    try {
      const made = route(target)
      answer(call, made instanceof Promise ? await made : made)
    } catch (error) {
      refuse(call, error)
    }
  }

  return (request, response) => {
    const { method, url = '', headers } = request
    const isPlain = method === 'GET' || method === 'HEAD'
    // Express refuses bodies.
    if (!isPlain || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
      return app(request, response)
    const cached = cache.get(url)
    const path = cached?.route ?? pathOf(url)
    const route = routes.get(path)
    if (route === undefined) return app(request, response)
    const client = clientKey(clientAddress(request, trust))
    const startedMs = cached === undefined ? performance.now() : undefined
    const call = { request, response, path, client, startedMs }
    const wait = limiter.take(client)
    if (wait > 0) refuse(call, tooManyCalls(wait, limiter.limit))
    else if (cached !== undefined) answer(call, cached)
    else void make(call, route, url)
  }
}

function pathOf(target: string): string {
  const cut = target.indexOf('?')
  return cut < 0 ? target : target.slice(0, cut)
}

/** Returns whether the hop at an address is one of our proxies; index 0 is the socket's peer. Express' `trust proxy fn`. */
export type TrustProxy = (address: string, index: number) => boolean

const FORWARDED_MAX = 32

/** Returns the first hop from the socket outwards that is not our proxy. Equals Express' `request.ip`. */
export function clientAddress({ socket, headers }: IncomingMessage, trust: TrustProxy): string | undefined {
  const peer = socket.remoteAddress
  const forwardedFor = headers['x-forwarded-for']
  if (peer === undefined || forwardedFor === undefined || !trust(peer, 0)) return peer
  const hops = String(forwardedFor)
    .split(',')
    .slice(-FORWARDED_MAX)
    .map((hop) => hop.trim())
    .reverse()
  const stop = hops.findIndex((hop, index) => !trust(hop, index + 1))
  return hops.at(stop) ?? peer
}
