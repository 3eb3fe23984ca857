import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Express } from 'express'
import type { Repeats } from '../answerRepeats.ts'
import { clientAddress } from '../clientAddress.ts'
import type { RequestRecord } from '../deps.ts'
import { sendError } from '../problems.ts'
import { clientKey, type Limiter, tooManyCalls } from '../rateLimit.ts'
import { setDataHeaders } from '../securityHeaders.ts'
import type { AnswerCache, CachedAnswer } from './answerCache.ts'
import type { FreeRoute } from './freeRoute.ts'
import { MIN_COMPRESSED_BYTES } from './representation.ts'
import { readyAnswer, sendAnswer } from './sendAnswer.ts'

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

/** One call of a free operation. */
type Call = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly client: string
  /** By the clock of the machine; undefined where the answer lay ready. */
  readonly startedMs: number | undefined
}

/**
 * Answers the plain calls of free operations: at once where the answer lies ready, else by the operation's route, which
 * makes it and lays it there. Hands everything on to the application: Express costs several times what a bare
 * listener does, and these are most calls.
 */
export function createCachedListener(deps: CachedListenerDeps): {
  listener: RequestListener
  repeats: Repeats
} {
  const { app, cache, routes, limiter, now, onRequest, onError } = deps
  const trust = app.get('trust proxy fn')

  // Right after it was written: to listen for the end of each answer would cost about a tenth of it.
  const note = ({ request, response, path, client, startedMs }: Call) =>
    onRequest?.({
      route: path,
      method: request.method ?? 'GET',
      status: response.statusCode,
      durationMs: startedMs === undefined ? 0 : performance.now() - startedMs,
      client,
      fromMemory: startedMs === undefined,
      isAborted: response.destroyed,
    })

  const refuse = (call: Call, error: unknown) => {
    setDataHeaders(call.response)
    sendError(call.request, call.response, error, onError)
    note(call)
  }

  const send = (call: Call, answer: CachedAnswer) => {
    const sending = sendAnswer(call.request, call.response, answer, now())
    if (sending === undefined) note(call)
    // Compressing fails for want of memory alone; then the connection is all there is to give up.
    else sending.then(() => note(call)).catch(() => call.response.destroy())
  }

  const make = (call: Call, route: FreeRoute, target: string) => {
    try {
      const made = route(target)
      if (!(made instanceof Promise)) return send(call, made)
      made.then((answer) => send(call, answer)).catch((error: unknown) => refuse(call, error))
    } catch (error) {
      refuse(call, error)
    }
  }

  const listener: RequestListener = (request, response) => {
    const { method, url = '', headers } = request
    const isPlain = method === 'GET' || method === 'HEAD'
    // A call with a body goes where bodies are refused.
    if (!isPlain || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
      return app(request, response)
    const answer = cache.get(url)
    const path = answer?.route ?? pathOf(url)
    const route = routes.get(path)
    if (route === undefined) return app(request, response)
    const client = clientKey(clientAddress(request, trust))
    const startedMs = answer === undefined ? performance.now() : undefined
    const call = { request, response, path, client, startedMs }
    const wait = limiter.take(client)
    if (wait > 0) refuse(call, tooManyCalls(wait))
    else if (answer !== undefined) send(call, answer)
    else make(call, route, url)
  }

  const repeats: Repeats = {
    clientOf: (request) =>
      request.method === 'GET' && request.headers['if-none-match'] === undefined
        ? clientKey(clientAddress(request, trust))
        : undefined,
    recall(target, client) {
      const answer = cache.get(target)
      // Longer ones are compressed by what the client accepts.
      if (answer === undefined || answer.representation.body.length >= MIN_COMPRESSED_BYTES) return undefined
      const ready = readyAnswer(answer, undefined, now())
      // The listener refuses those who call too often.
      if (ready instanceof Promise || limiter.take(client) > 0) return undefined
      const { route } = answer
      onRequest?.({
        route,
        method: 'GET',
        status: 200,
        durationMs: 0,
        client,
        fromMemory: true,
        isAborted: false,
      })
      return ready
    },
  }
  return { listener, repeats }
}

function pathOf(target: string): string {
  const cut = target.indexOf('?')
  return cut < 0 ? target : target.slice(0, cut)
}
