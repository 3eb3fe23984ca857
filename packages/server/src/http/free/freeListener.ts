import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Express } from 'express'
import type { RequestRecord } from '../deps.ts'
import { type RefusalOptions, sendError } from '../problems.ts'
import { admit, clientKey, type Limiter } from '../rateLimit.ts'
import { DATA_HEADERS, setHeaders } from '../securityHeaders.ts'
import type { AnswerCache, CachedAnswer } from './answerCache.ts'
import type { FreeRoute } from './freeRoute.ts'
import { formFor, send } from './readyAnswer.ts'

/**
 * Answers a call of a free operation, at once if it is in the cache and in the form that the client takes.
 * @param path of the operation
 * @param client as limits count it
 * @returns whether the answer was in the cache
 * @throws ProblemError 429 over the limit, or what the route throws
 */
export type FreeCalls = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  client: string,
) => boolean | Promise<boolean>

type FreeCallsDeps = {
  readonly cache: AnswerCache
  /** Routes of the free operations by path. */
  readonly routes: ReadonlyMap<string, FreeRoute>
  readonly limiter: Limiter
}

/** Creates the one way in which free operations are answered, whoever took the request. */
export function createFreeCalls({ cache, routes, limiter }: FreeCallsDeps): FreeCalls {
  const sendReady = (request: IncomingMessage, response: ServerResponse, { ready }: CachedAnswer) => {
    const form = formFor(ready, request)
    if (!(form instanceof Promise)) return send(request, response, ready, form)
    return form.then(
      (coded) => send(request, response, ready, coded),
      // Compression fails only if memory runs out.
      () => void response.destroy(),
    )
  }
  return (request, response, path, client) => {
    admit(limiter, client)
    const { url = '' } = request
    const cached = cache.get(url)
    if (cached === undefined) {
      const made = routes.get(path)?.(url)
      if (made === undefined) throw new Error(`${path} is no free operation`)
      return made.then(async (answer) => {
        await sendReady(request, response, answer)
        return false
      })
    }
    const sent = sendReady(request, response, cached)
    return sent === undefined ? true : sent.then(() => true)
  }
}

export type FreeListenerDeps = RefusalOptions & {
  /** Handles all other requests. */
  app: Express
  /** Paths of the free operations. */
  paths: ReadonlySet<string>
  answerFree: FreeCalls
  onRequest?: ((record: RequestRecord) => void) | undefined
}

/**
 * Creates a listener that answers free operations and passes other requests to Express, which costs several times as much
 * as a plain listener.
 */
export function createFreeListener(deps: FreeListenerDeps): RequestListener {
  const { app, paths, answerFree, onRequest } = deps
  const trust = app.get('trust proxy fn')

  return (request, response) => {
    const { method = 'GET', url = '', headers } = request
    const isPlain = method === 'GET' || method === 'HEAD'
    // Express refuses bodies.
    if (!isPlain || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
      return app(request, response)
    const route = pathOf(url)
    if (!paths.has(route)) return app(request, response)
    const client = clientKey(clientAddress(request, trust))
    const startedMs = performance.now()
    // Called right after the write: a listener for the end of each answer costs about a tenth of the throughput.
    const record = (fromMemory: boolean) =>
      onRequest?.({
        route,
        method,
        status: response.statusCode,
        durationMs: performance.now() - startedMs,
        client,
        fromMemory,
        isAborted: response.destroyed,
      })
    const refuse = (error: unknown) => {
      setHeaders(response, DATA_HEADERS)
      sendError(request, response, error, deps)
      record(false)
    }
    try {
      const answered = answerFree(request, response, route, client)
      if (answered instanceof Promise) answered.then(record, refuse)
      else record(answered)
    } catch (error) {
      refuse(error)
    }
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
