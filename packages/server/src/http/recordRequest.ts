import type { Request, Response } from 'express'
import type { RequestRecord } from './deps.ts'
import { clientKey } from './rateLimit.ts'

/** Tells of a request once it has been answered, or given up. */
export function recordRequest(
  request: Request,
  response: Response,
  onRequest: (record: RequestRecord) => void,
): void {
  const startedMs = performance.now()
  response.once('close', () => {
    onRequest({
      route: routeOf(response),
      method: request.method,
      status: response.statusCode,
      durationMs: performance.now() - startedMs,
      client: clientKey(request.ip),
      fromMemory: false,
      isAborted: !response.writableFinished,
    })
  })
}

/** Notes which route a request came to; paths of callers would make a series each. */
export function noteRoute(response: Response, path: string): void {
  response.locals.route = path
}

function routeOf(response: Response): string {
  const { route } = response.locals
  return typeof route === 'string' ? route : 'none'
}
