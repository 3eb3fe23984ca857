import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Response } from 'express'
import type { RequestRecord } from './deps.ts'

/**
 * Tells of a request once it has been answered, or given up.
 * @param describe tells by then which route it came to, and who asked
 */
export function recordRequest(
  { method = 'GET' }: IncomingMessage,
  response: ServerResponse,
  describe: () => Pick<RequestRecord, 'route' | 'client'>,
  onRequest: (record: RequestRecord) => void,
): void {
  const startedMs = performance.now()
  response.once('close', () => {
    onRequest({
      ...describe(),
      method,
      status: response.statusCode,
      durationMs: performance.now() - startedMs,
      fromMemory: false,
      isAborted: !response.writableFinished,
    })
  })
}

/** Notes which route a request came to; paths of callers would make a series each. */
export function noteRoute(response: Response, path: string): void {
  response.locals.route = path
}

/** Which route that was; `none` where there is none. */
export function routeOf(response: Response): string {
  const { route } = response.locals
  return typeof route === 'string' ? route : 'none'
}
