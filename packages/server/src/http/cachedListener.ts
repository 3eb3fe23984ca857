import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Express } from 'express'
import type { AnswerCache } from './answerCache.ts'
import { clientAddress } from './clientAddress.ts'
import type { RequestRecord } from './deps.ts'
import { sendRefusal } from './problems.ts'
import { clientKey, type Limiter, tooManyCalls } from './rateLimit.ts'
import { cacheControl, isReady, sendReady, sendRepresentation } from './representation.ts'
import { setCommonHeaders } from './securityHeaders.ts'

export type CachedListenerDeps = {
  app: Express
  cache: AnswerCache
  limiter: Limiter
  /** The audit's clock. */
  now: () => number
  onRequest?: ((record: RequestRecord) => void) | undefined
}

/**
 * Answers free calls whose answer lies ready, and hands everything else on to the application, which makes the answers
 * and lays them there. Express costs several times what a bare listener does, and these are most calls.
 */
export function createCachedListener({
  app,
  cache,
  limiter,
  now,
  onRequest,
}: CachedListenerDeps): RequestListener {
  const trust = app.get('trust proxy fn')
  return (request: IncomingMessage, response: ServerResponse) => {
    const answer = isPlainRead(request) ? cache.get(request.url ?? '') : undefined
    if (answer === undefined) {
      app(request, response)
      return
    }
    const { representation, maxAgeSeconds, expiresAt } = answer
    const client = clientKey(clientAddress(request, trust))
    if (onRequest) {
      const { method = 'GET' } = request
      response.once('finish', () => {
        const { statusCode: status } = response
        const route = answer.route
        onRequest({ route, method, status, durationMs: 0, client, fromMemory: true, isAborted: false })
      })
    }
    limiter
      .take(client)
      .then((wait) => {
        if (wait > 0) {
          setCommonHeaders(response)
          return sendRefusal(response, tooManyCalls(wait).refusal, request.method === 'HEAD')
        }
        const options = { cacheControl: cacheControl(maxAgeSeconds, expiresAt, now()) }
        if (!isReady(request, representation)) {
          return sendRepresentation(request, response, representation, options)
        }
        sendReady(request, response, representation, options)
      })
      // Neither counting nor compressing fails but for want of memory; then the connection is all there is to give up.
      .catch(() => response.destroy())
  }
}

// A request with a body goes where bodies are refused.
function isPlainRead({ method, headers }: IncomingMessage): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined
  )
}
