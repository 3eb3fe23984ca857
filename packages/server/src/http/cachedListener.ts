import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Express } from 'express'
import type { AnswerCache, CachedAnswer } from './answerCache.ts'
import { clientAddress } from './clientAddress.ts'
import type { RequestRecord } from './deps.ts'
import type { FreeRoute } from './freeRoute.ts'
import { sendError } from './problems.ts'
import { clientKey, type Limiter, tooManyCalls } from './rateLimit.ts'
import { recordRequest } from './recordRequest.ts'
import { cacheControl, sendRepresentation } from './representation.ts'
import { setCommonHeaders } from './securityHeaders.ts'

export type CachedListenerDeps = {
  app: Express
  cache: AnswerCache
  /** The free operations, by their paths. */
  routes: ReadonlyMap<string, FreeRoute>
  limiter: Limiter
  /** The audit's clock. */
  now: () => number
  onRequest?: ((record: RequestRecord) => void) | undefined
  /** Told of every fault that became a 500. */
  onError?: ((error: unknown) => void) | undefined
}

/**
 * Answers the plain calls of free operations: at once where the answer lies ready, else by the operation's route, which
 * makes it and lays it there. Hands everything on to the application: Express costs several times what a bare
 * listener does, and these are most calls.
 */
export function createCachedListener(deps: CachedListenerDeps): RequestListener {
  const { app, cache, routes, limiter, now, onRequest, onError } = deps
  const trust = app.get('trust proxy fn')

  const refuse = (request: IncomingMessage, response: ServerResponse, error: unknown) => {
    setCommonHeaders(response)
    sendError(request, response, error, onError)
  }

  const sendCached = (request: IncomingMessage, response: ServerResponse, answer: CachedAnswer) => {
    const client = clientKey(clientAddress(request, trust))
    const note = () => {
      const { method = 'GET' } = request
      const { statusCode: status } = response
      const { route } = answer
      onRequest?.({ route, method, status, durationMs: 0, client, fromMemory: true, isAborted: false })
    }
    const wait = limiter.take(client)
    if (wait > 0) {
      refuse(request, response, tooManyCalls(wait))
      return note()
    }
    const { representation, maxAgeSeconds, expiresAt } = answer
    const options = { cacheControl: cacheControl(maxAgeSeconds, expiresAt, now()) }
    const sending = sendRepresentation(request, response, representation, options)
    // At once: waiting for the end of the answer would cost about a tenth of it.
    if (sending === undefined) note()
    // Compressing fails for want of memory alone; then the connection is all there is to give up.
    else sending.then(note, () => response.destroy())
  }

  const sendMade = async (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    route: FreeRoute,
  ) => {
    const client = clientKey(clientAddress(request, trust))
    if (onRequest) recordRequest(request, response, () => ({ route: path, client }), onRequest)
    try {
      const wait = limiter.take(client)
      if (wait > 0) throw tooManyCalls(wait)
      await route(request, response)
    } catch (error) {
      refuse(request, response, error)
    }
  }

  return (request, response) => {
    if (!isPlainRead(request)) {
      app(request, response)
      return
    }
    const target = request.url ?? ''
    const answer = cache.get(target)
    if (answer !== undefined) return sendCached(request, response, answer)
    const path = pathOf(target)
    const route = routes.get(path)
    if (route === undefined) app(request, response)
    else void sendMade(request, response, path, route)
  }
}

function pathOf(target: string): string {
  const cut = target.indexOf('?')
  return cut < 0 ? target : target.slice(0, cut)
}

// A request with a body goes where bodies are refused.
function isPlainRead({ method, headers }: IncomingMessage): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined
  )
}
