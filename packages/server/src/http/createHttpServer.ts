import { channel } from 'node:diagnostics_channel'
import { createServer, type Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { answerRepeats } from './answerRepeats.ts'
import type { HttpApp } from './messages.ts'
import { refuseUnread } from './refuseUnread.ts'

export type HttpServerOptions = {
  /** Names and values of all headers together. A v2 payment sends its challenge back within one. @default 16384 */
  maxHeaderBytes?: number
  /** Time for the head of a request to arrive. @default 10000 */
  headersTimeoutMs?: number
  /** Time for a whole request to arrive. @default 15000 */
  requestTimeoutMs?: number
  /**
   * How long nothing may move on a connection while a request is under way: longer than the handler of a paid call and
   * its settlement may take together, and short enough that whoever never reads an answer is not kept for ever.
   * @default 120000
   */
  stallTimeoutMs?: number
  /** How long an idle connection is kept; longer than proxies in front keep theirs. @default 65000 */
  keepAliveTimeoutMs?: number
  /** Open connections at once; more are refused. @default 10000 */
  maxConnections?: number
}

// Whoever watches answers from outside, such as the tests that hold each against the interface, learns of servers here.
const created = channel('touchstone402.http.server')

/**
 * Creates the HTTP server, with bounds on what a connection may cost, and problem documents for what is no HTTP. It is
 * published as `{ server }` on the diagnostics channel `touchstone402.http.server`.
 */
export function createHttpServer(app: HttpApp, options: HttpServerOptions = {}): Server {
  const server = createServer(
    {
      maxHeaderSize: options.maxHeaderBytes ?? 16_384,
      headersTimeout: options.headersTimeoutMs ?? 10_000,
      requestTimeout: options.requestTimeoutMs ?? 15_000,
      keepAliveTimeout: options.keepAliveTimeoutMs ?? 65_000,
      connectionsCheckingInterval: 1000,
      ...app.messages,
    },
    app,
  )
  followSockets(server)
  if (app.repeats !== undefined) answerRepeats(server, app.repeats)
  server.timeout = options.stallTimeoutMs ?? 120_000
  server.maxConnections = options.maxConnections ?? 10_000
  server.on('clientError', refuseUnread)
  created.publish({ server })
  return server
}

/**
 * Stops a server: no new connections, idle ones closed, calls under way finished and their answers sent whole. A payment
 * that was accepted is settled and answered before this resolves, or its claim is left for the reconciliation.
 * @param graceMs what is still open then is cut off. @default 45000, more than a handler and a settlement may take
 */
export function stopHttpServer(server: Server, graceMs = 45_000): Promise<void> {
  const sockets = openSockets.get(server) ?? new Set()
  return new Promise((resolve) => {
    const cutOff = setTimeout(() => {
      for (const socket of sockets) socket.destroy()
    }, graceMs)
    // A connection that was busy at the start of the stop is kept alive after its answer unless it is asked about again.
    const sweep = setInterval(() => closeIdle(server, sockets), SWEEP_MS)
    // Not by the server's own close: it ends connections that are still sending, and stops the clock that ends those
    // whose head never comes.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(cutOff)
      clearInterval(sweep)
      resolve()
    })
    closeIdle(server, sockets)
  })
}

const SWEEP_MS = 50

const openSockets = new WeakMap<Server, Set<Socket>>()

function followSockets(server: Server): void {
  const sockets = new Set<Socket>()
  openSockets.set(server, sockets)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
}

/** Closes the connections that are idle, but for those that have something to send. */
function closeIdle(server: Server, sockets: ReadonlySet<Socket>): void {
  const sending = [...sockets].filter((socket) => socket.writableLength > 0)
  // Node takes an answer for done once all of it was handed over, and tells which connections are idle only by
  // destroying them; those that are sending are spared that.
  for (const socket of sending) socket.destroy = () => socket
  server.closeIdleConnections()
  for (const socket of sending) Reflect.deleteProperty(socket, 'destroy')
}
