import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Express } from 'express'
import type { Log } from '../../lib/logging.ts'
import type { ErrorPages, RequestRecord } from '../deps.ts'
import { sendError } from '../problems.ts'
import { admit, clientKey, type Limiter } from '../rateLimit.ts'
import { REQUEST_ID, requestIdOf } from '../requestId.ts'
import { DATA_HEADERS, setHeaders } from '../securityHeaders.ts'
import type { AnswerCache, CachedAnswer } from './answerCache.ts'
import type { FreeRoute } from './freeRoute.ts'
import { formFor, send } from './readyAnswer.ts'

/**
 * Answers a call of a free operation, at once if it is in the cache and in the form that the client takes.
 * @param client as limits count it
 * @returns whether the answer was in the cache
 * @throws ProblemError 429 over the limit, or what the route throws
 */
export type AnswerFree = (
  request: IncomingMessage,
  response: ServerResponse,
  route: FreeRoute,
  client: string,
) => boolean | Promise<boolean>

/** Creates the function that answers free operations, for the listener and for Express. */
export function createAnswerFree(cache: AnswerCache, limiter: Limiter): AnswerFree {
  const sendReady = (request: IncomingMessage, response: ServerResponse, { ready }: CachedAnswer) => {
    const form = formFor(ready, request)
    if (!(form instanceof Promise)) return send(request, response, ready, form)
    return form.then(
      (coded) => send(request, response, ready, coded),
      // Compression fails only if memory runs out.
      () => void response.destroy(),
    )
  }
  return (request, response, route, client) => {
    admit(limiter, client)
    const { url = '' } = request
    const cached = cache.get(url)
    if (cached === undefined)
      return route(url).then(async (answer) => {
        await sendReady(request, response, answer)
        return false
      })
    const sent = sendReady(request, response, cached)
    return sent === undefined ? true : sent.then(() => true)
  }
}

export type FreeListenerParts = {
  /** Handles all other requests. */
  readonly app: Express
  /** Routes of the free operations by path. */
  readonly routes: ReadonlyMap<string, FreeRoute>
  readonly answerFree: AnswerFree
  readonly errorPages: ErrorPages
  /** Called after each answer. */
  readonly record: (record: RequestRecord) => void
}

/**
 * Creates a listener that answers free operations and passes other requests to Express, which costs several times as much
 * as a plain listener.
 */
export function createFreeListener(log: Log, parts: FreeListenerParts): RequestListener {
  const { app, routes, answerFree, errorPages, record } = parts
  const trust = app.get('trust proxy fn')

  return (request, response) => {
    const { method = 'GET', url = '', headers } = request
    const isPlain = method === 'GET' || method === 'HEAD'
    // Express refuses bodies.
    if (!isPlain || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
      return app(request, response)
    const path = pathOf(url)
    const route = routes.get(path)
    if (route === undefined) return app(request, response)
    const client = clientKey(clientAddress(request, trust))
    const startedMs = performance.now()
    // Called right after the write: a listener for the end of each answer costs about a tenth of the throughput.
    const recordAnswer = (fromMemory: boolean) =>
      record({
        requestId: requestIdOf(response),
        route: path,
        method,
        status: response.statusCode,
        durationMs: performance.now() - startedMs,
        client,
        fromMemory,
        isAborted: response.destroyed,
      })
    const refuse = (error: unknown) => {
      setHeaders(response, DATA_HEADERS)
      response.setHeader(REQUEST_ID, requestIdOf(response))
      sendError(log, request, response, error, errorPages)
      return false
    }
    let answered: boolean | Promise<boolean>
    try {
      answered = answerFree(request, response, route, client)
    } catch (error) {
      answered = refuse(error)
    }
    if (answered instanceof Promise) void answered.catch(refuse).then(recordAnswer)
    else recordAnswer(answered)
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
