import type { Request, Response } from 'express'
import type { RequestRecord } from './deps.ts'
import { clientKey } from './rateLimit.ts'

/** Reports a request once it is answered or aborted. */
export function recordRequest(
  request: Request,
  response: Response,
  onRequest: (record: RequestRecord) => void,
): void {
  const startedMs = performance.now()
  response.once('close', () => {
    onRequest({
      route: typeof response.locals.route === 'string' ? response.locals.route : 'none',
      method: request.method,
      status: response.statusCode,
      durationMs: performance.now() - startedMs,
      client: clientKey(request.ip),
      fromMemory: false,
      isAborted: !response.writableFinished,
    })
  })
}

/** Sets the route that a request is recorded under; raw paths would create a metric series each. */
export function noteRoute(response: Response, path: string): void {
  response.locals.route = path
}
