import { createHash } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { FREE_OPERATIONS, OPERATIONS, PAID_OPERATIONS } from '@touchstone402/shared'
import type { Express, NextFunction, Request, Response } from 'express'
import express from 'express'
import { ProblemError } from '../lib/problemError.ts'
import { LATEST, readMapFile } from '../store/documents.ts'
import type { Store } from '../store/store.ts'
import type { HttpContext, HttpParts, Page, RequestRecord } from './deps.ts'
import { createAnswerFree, createFreeListener, type FreeListenerParts } from './free/freeListener.ts'
import { createFreeRoute, type FreeRoute } from './free/freeRoute.ts'
import { buildOpenApi } from './openapi.ts'
import { createPageRoute, jsonPath } from './pageRoute.ts'
import { createPaidRoute } from './paidRoute.ts'
import { hasJson } from './paths.ts'
import { sendError } from './problems.ts'
import { admit, clientKey, createLimiter, type Limiter } from './rateLimit.ts'
import { bodyTooLarge, MAX_BODY_BYTES, TOO_LARGE } from './readFields.ts'
import { REQUEST_ID, requestIdOf } from './requestId.ts'
import { DATA_HEADERS, sendOptions, setHeaders } from './securityHeaders.ts'

type Handler = (request: Request, response: Response) => Promise<void>

const FREE_METHODS = ['GET', 'HEAD', 'OPTIONS']
const FORM_METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']
// HEAD on a paid path would run the handler and send headers unpaid.
const PAID_METHODS = ['GET', 'OPTIONS']

/**
 * Creates the request listener of the service: the operations of the contract, pages and documents. Free operations are
 * answered in front of Express.
 */
export function createHttpApp(ctx: HttpContext, parts: HttpParts): RequestListener {
  const { cache, errorPages, onRequest } = parts
  const limiter = createLimiter({ points: ctx.config.rateLimitPerMinute, windowSeconds: 60 })
  const routes = new Map<string, FreeRoute>(
    FREE_OPERATIONS.map((id) => [OPERATIONS[id].path, createFreeRoute(ctx, parts, id)]),
  )
  const answerFree = createAnswerFree(cache, limiter)
  const record = (request: RequestRecord) => {
    ctx.metrics.request(request)
    onRequest?.(request)
  }
  const app = createExpressApp(ctx, parts, { routes, answerFree, record }, limiter)
  return createFreeListener(ctx.log, { app, routes, answerFree, errorPages, record })
}

function createExpressApp(
  ctx: HttpContext,
  parts: HttpParts,
  { routes, answerFree, record }: Pick<FreeListenerParts, 'routes' | 'answerFree' | 'record'>,
  limiter: Limiter,
): Express {
  const { config, stopping, store } = ctx
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', false)
  app.set('trust proxy', config.trustProxy)

  app.use((request: Request, response: Response, next: NextFunction) => {
    recordRequest(request, response, record)
    setHeaders(response, DATA_HEADERS)
    response.setHeader(REQUEST_ID, requestIdOf(response))
    next()
  })

  const limited =
    (handler: Handler): Handler =>
    async (request, response) => {
      admit(limiter, clientKey(request.ip))
      await handler(request, response)
    }
  const mount = (path: string, methods: readonly string[], handler: Handler) => {
    const allow = methods.join(', ')
    app.all(path, async (request: Request, response: Response) => {
      // Requests are recorded under it: raw paths would create a metric series each.
      response.locals.route = path
      refuseBody(request, response, request.method === 'POST' && methods.includes('POST'))
      if (request.method === 'OPTIONS') return sendOptions(response, allow)
      if (!methods.includes(request.method)) {
        response.setHeader('Allow', allow)
        throw new ProblemError(405, 'method_not_allowed', `Use ${allow}.`)
      }
      // Terms sent now would be paid to a process that no longer runs.
      if (stopping.aborted && (methods === PAID_METHODS || request.method === 'POST')) throw isStopping()
      await handler(request, response)
    })
  }

  for (const id of PAID_OPERATIONS) mount(OPERATIONS[id].path, PAID_METHODS, createPaidRoute(ctx, parts, id))
  // The listener in front passes on other methods, bodies, and targets in absolute form.
  for (const [path, route] of routes)
    mount(path, FREE_METHODS, async (request, response) => {
      const answered = answerFree(request, response, route, clientKey(request.ip))
      // Without a promise the answer may be recorded before an await continues.
      response.locals.fromMemory = typeof answered === 'boolean' ? answered : await answered
    })

  const openApi = jsonPage(buildOpenApi(config), 3600)
  const documents = [
    { path: '/openapi.json', handler: () => openApi },
    { path: '/.well-known/jwks.json', handler: async () => jsonPage(await parts.jwks(), 300) },
    ...parts.pages,
  ]
  for (const page of documents as readonly Page[]) {
    const methods = page.post === undefined ? FREE_METHODS : FORM_METHODS
    if (hasJson(page.path))
      mount(jsonPath(page.path), FREE_METHODS, limited(createPageRoute(ctx, page, 'json')))
    mount(page.path, methods, limited(createPageRoute(ctx, page)))
  }
  mount('/map/:name', FREE_METHODS, limited(createMapRoute(store)))
  // Not rate-limited: load balancers poll these.
  const probes = [
    { path: '/healthz', handler: () => jsonPage({ status: 'ok' }, 0) },
    { path: '/readyz', handler: () => readiness(stopping, parts) },
  ]
  for (const page of probes) mount(page.path, FREE_METHODS, createPageRoute(ctx, page))

  app.use((request: Request, response: Response) => {
    refuseBody(request, response, false)
    throw new ProblemError(404, 'not_found', `Nothing is served at ${request.path.slice(0, 200)}.`)
  })
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    sendError(ctx.log, request, response, error, parts.errorPages)
  })
  return app
}

function jsonPage(value: unknown, maxAgeSeconds: number) {
  return { type: 'application/json; charset=utf-8', body: JSON.stringify(value), maxAgeSeconds }
}

const isStopping = () =>
  new ProblemError(503, 'stopping', 'This process is stopping; try again.', { retryAfterSeconds: 5 })

function readiness(stopping: AbortSignal, parts: Pick<HttpParts, 'readiness'>) {
  if (stopping.aborted) return { ...jsonPage({ status: 'stopping', checks: {} }, 0), status: 503 }
  const { status, checks } = parts.readiness()
  return { ...jsonPage({ status, checks }, 0), status: status === 'not_ready' ? 503 : 200 }
}

const MAP_NAME = /^(latest|[1-9]\d{0,14}(-[1-9]\d{0,14})?)$/
/** The header changes at most every 10 minutes; its readers look for it every five. */
const LATEST_CONTROL = 'public, max-age=30'
/** A version and a diff never change. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

const noMapFile = () => new ProblemError(404, 'not_found', 'There is no such file of the map.')

/** Creates the handler of the map's files. They are sent as they are: hashes do not compress. */
function createMapRoute(store: Store): Handler {
  return async (request, response) => {
    const { name } = request.params
    if (typeof name !== 'string' || !MAP_NAME.test(name)) throw noMapFile()
    const isLatest = name === LATEST
    const isCached = (tag: string) => request.get('If-None-Match')?.includes(`"${tag}"`) === true
    // The name of a version or a diff is its content's identity, so no file is read for a reader who has it.
    const bytes = !isLatest && isCached(name) ? null : await readMapFile(store, name)
    if (bytes === undefined) throw noMapFile()
    const tag = bytes && isLatest ? createHash('sha256').update(bytes).digest('base64url').slice(0, 27) : name
    response.setHeader('ETag', `"${tag}"`)
    response.setHeader('Cache-Control', isLatest ? LATEST_CONTROL : IMMUTABLE)
    if (bytes === null || isCached(tag)) {
      response.status(304).end()
      return
    }
    response.setHeader('Content-Type', isLatest ? 'text/plain; charset=utf-8' : 'application/octet-stream')
    response.setHeader('Content-Length', bytes.length)
    response.end(request.method === 'HEAD' ? undefined : bytes)
  }
}

/** Refuses a larger body unread. Only forms are read. */
function refuseBody(request: Request, response: Response, isForm: boolean): void {
  const length = request.get('Content-Length')
  const unbounded = request.get('Transfer-Encoding') !== undefined
  if (!unbounded && (length === undefined || Number(length) === 0)) return
  if (isForm && Number(length) <= MAX_BODY_BYTES) return
  // The rest of the body is not read.
  response.setHeader('Connection', 'close')
  if (isForm && unbounded) return
  if (unbounded || !(Number(length) <= MAX_BODY_BYTES)) {
    throw bodyTooLarge(isForm ? TOO_LARGE : 'No operation takes a request body.')
  }
}

/** Reports a request once it is answered or aborted. */
function recordRequest(request: Request, response: Response, record: (record: RequestRecord) => void): void {
  const startedMs = performance.now()
  response.once('close', () => {
    record({
      requestId: requestIdOf(response),
      route: typeof response.locals.route === 'string' ? response.locals.route : 'none',
      method: request.method,
      status: response.statusCode,
      durationMs: performance.now() - startedMs,
      client: clientKey(request.ip),
      fromMemory: response.locals.fromMemory === true,
      isAborted: !response.writableFinished,
    })
  })
}
