import { channel } from 'node:diagnostics_channel'
import { createServer, type RequestListener, type Server } from 'node:http'
import { followConnections } from './connections.ts'

export { stopHttpServer } from './connections.ts'

export type HttpServerOptions = {
  /** Bytes of all header names and values. A v2 payment sends its challenge back in one. @default 16384 */
  maxHeaderBytes?: number
  /** Time for the head of a request to arrive. @default 10000 */
  headersTimeoutMs?: number
  /** Time for a whole request to arrive. @default 15000 */
  requestTimeoutMs?: number
  /**
   * Time without traffic after which a connection with an open request is closed. Longer than the handler of a paid call
   * and its settlement may take together. @default 120000
   */
  stallTimeoutMs?: number
  /** Time that an idle connection is kept open; longer than proxies keep theirs. @default 65000 */
  keepAliveTimeoutMs?: number
  /** Maximum number of open connections; more are refused. @default 10000 */
  maxConnections?: number
}

// Tests that check every answer against the contract learn of servers here.
const created = channel('touchstone402.http.server')

/**
 * Creates the HTTP server, with bounds on what a connection may cost, and problem documents for invalid HTTP. Publishes
 * `{ server }` on the diagnostics channel `touchstone402.http.server`.
 */
export function createHttpServer(app: RequestListener, options: HttpServerOptions = {}): Server {
  const server = createServer({
    maxHeaderSize: options.maxHeaderBytes ?? 16_384,
    headersTimeout: options.headersTimeoutMs ?? 10_000,
    requestTimeout: options.requestTimeoutMs ?? 15_000,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 65_000,
    connectionsCheckingInterval: 1000,
  })
  followConnections(server)
  server.on('request', app)
  server.timeout = options.stallTimeoutMs ?? 120_000
  server.maxConnections = options.maxConnections ?? 10_000
  created.publish({ server })
  return server
}
