import { channel } from 'node:diagnostics_channel'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { Metrics } from '../lib/metrics.ts'
import { toProblem } from './problems.ts'
import { clientKey } from './rateLimit.ts'

type ServerContext = Pick<Context, 'log'> & {
  readonly metrics: Pick<Metrics, 'connectionRefused'>
  readonly config: Pick<Config, 'connectionsPerClient' | 'trustProxy'>
}

/** Time for the head of a request to arrive. */
const HEADERS_TIMEOUT_MS = 10_000
/** Time for a whole request to arrive. */
const REQUEST_TIMEOUT_MS = 15_000
/**
 * Time without traffic after which a connection with an open request is closed. Longer than the handler of a paid call
 * and its settlement may take together.
 */
const STALL_TIMEOUT_MS = 120_000
/** Maximum number of connections. */
const MAX_CONNECTIONS = 10_000

/** Log message for a refused connection, by the limit that was reached. */
const REFUSED = {
  client: 'connections of an address above CONNECTIONS_PER_CLIENT are closed',
  server: `connections above ${MAX_CONNECTIONS} are closed`,
}

// Tests that check every answer against the contract learn of servers here.
const created = channel('touchstone402.http.server')

/**
 * Creates the HTTP server, with bounds on what a connection may cost, and problem documents for invalid HTTP. Publishes
 * `{ server }` on the diagnostics channel `touchstone402.http.server`.
 */
export function createHttpServer(ctx: ServerContext, app: RequestListener): Server {
  const server = createServer({
    // A v2 payment sends its challenge back in a header.
    maxHeaderSize: 16_384,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Longer than proxies keep idle connections.
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 1000,
  })
  followConnections(ctx, server)
  server.on('request', app)
  server.timeout = STALL_TIMEOUT_MS
  server.maxConnections = MAX_CONNECTIONS
  server.on('drop', (dropped) => noteRefused(ctx, 'server', dropped?.remoteAddress))
  created.publish({ server })
  return server
}

function noteRefused(
  { log, metrics }: ServerContext,
  limit: keyof typeof REFUSED,
  address: string | undefined,
): void {
  metrics.connectionRefused({ limit })
  log('warn', REFUSED[limit], { event: 'connections_refused', limit, address })
}

type Connections = {
  /**
   * Open connections, each with its latest response. Responses on a connection are sent in the order of their requests,
   * so the latest finishes last.
   */
  readonly latest: Map<Duplex, ServerResponse | 'answered' | undefined>
  /** Connections end after their answer. */
  isEnding: boolean
  /** New connections are refused. */
  isStopping: boolean
}

/** A finished response is released within this time: it holds its whole request. */
const RELEASE_MS = 1000

const LOOPBACK = /^(127\.|0:0:0:0::)/

const followed = new WeakMap<Server, Connections>()

/**
 * Follows the connections of a server, and closes those of an IPv4 address or IPv6 /64 above its limit. Those of this
 * machine, such as a proxy's, are not counted. Call it before other listeners are added.
 */
function followConnections(ctx: ServerContext, server: Server): void {
  const { trustProxy, connectionsPerClient } = ctx.config
  // Behind a proxy all connections are its own: it has to limit those of clients.
  const maxPerClient = trustProxy === 0 ? connectionsPerClient : Number.POSITIVE_INFINITY
  const latest: Connections['latest'] = new Map()
  const connections: Connections = { latest, isEnding: false, isStopping: false }
  followed.set(server, connections)
  const byClient = new Map<string, number>()
  const release = setInterval(() => {
    for (const [socket, response] of latest) if (isFinished(response)) latest.set(socket, 'answered')
  }, RELEASE_MS)
  release.unref()
  server.once('close', () => clearInterval(release))
  server.on('connection', (socket) => {
    if (connections.isStopping) return socket.destroy()
    const client = clientKey(socket.remoteAddress)
    const count = (byClient.get(client) ?? 0) + 1
    if (count > maxPerClient && !LOOPBACK.test(client)) {
      noteRefused(ctx, 'client', socket.remoteAddress)
      return socket.destroy()
    }
    byClient.set(client, count)
    latest.set(socket, undefined)
    socket.once('close', () => {
      latest.delete(socket)
      const left = (byClient.get(client) ?? 1) - 1
      if (left === 0) byClient.delete(client)
      else byClient.set(client, left)
    })
  })
  server.on('request', ({ socket }, response) => {
    latest.set(socket, response)
    if (connections.isEnding) response.setHeader('Connection', 'close')
  })
  server.on('clientError', (error, socket) => {
    const response = latest.get(socket)
    refuseUnread(error, socket, response === 'answered' ? undefined : response)
  })
}

const SWEEP_MS = 50

export type HttpStopOptions = {
  /** Time after which open connections are cut, in ms. */
  readonly graceMs: number
  /** Time for which new connections are still accepted, in ms. @default 0 */
  readonly lingerMs?: number
  /** Called before connections are cut. */
  readonly onCut?: () => void
}

/**
 * Stops a server: no new connections, idle ones closed, open requests answered completely. An accepted payment is
 * settled and answered before this resolves, or its claim is left to reconciliation.
 */
export async function stopHttpServer(server: Server, options: HttpStopOptions): Promise<void> {
  const { graceMs, lingerMs = 0, onCut } = options
  const connections = followed.get(server)
  if (connections === undefined) throw new TypeError('the server was not created by createHttpServer')
  const { latest } = connections
  const cutAt = performance.now() + graceMs
  connections.isEnding = true
  for (const response of latest.values()) {
    if (typeof response === 'object' && !response.headersSent) response.setHeader('Connection', 'close')
  }
  if (lingerMs > 0) await sleep(Math.min(lingerMs, graceMs))
  connections.isStopping = true
  return new Promise((resolve) => {
    let isClosing = false
    const sweep = () => {
      for (const [socket, response] of latest) if (isDone(socket, response)) socket.destroy()
      // `close` cuts connections with a complete answer that is not flushed yet; until it is safe, new ones are dropped.
      if (isClosing || [...latest.keys()].some(({ writableLength }) => writableLength > 0)) return
      isClosing = true
      server.close(() => {
        clearInterval(sweeper)
        clearTimeout(lateHeads)
        clearTimeout(cutOff)
        resolve()
      })
    }
    const sweeper = setInterval(sweep, SWEEP_MS)
    // `close` stops Node's own check for heads that never arrive.
    const lateHeads = setTimeout(() => {
      const error = Object.assign(new Error('no request'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      for (const [socket, response] of latest)
        if (response === undefined) refuseUnread(error, socket, undefined)
    }, server.headersTimeout)
    const cutOff = setTimeout(() => {
      onCut?.()
      for (const socket of latest.keys()) socket.destroy()
    }, cutAt - performance.now())
    sweep()
  })
}

/** Returns whether all answers on a connection are flushed, or a refusal ended it. */
function isDone(socket: Duplex, response: ServerResponse | 'answered' | undefined): boolean {
  return socket.writableFinished || (isFinished(response) && socket.writableLength === 0)
}

const isFinished = (response: ServerResponse | 'answered' | undefined): boolean =>
  response === 'answered' || response?.writableFinished === true

type UnreadError = Error & { readonly code?: string; readonly rawPacket?: Buffer }

/**
 * Answers a request that Node could not parse with a problem document, and ends the connection.
 * @param latest the latest response on the connection
 */
function refuseUnread(error: UnreadError, socket: Duplex, latest: ServerResponse | undefined): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isUnderWay(latest)) {
    socket.destroy()
    return
  }
  // An answer to HEAD has no body, even if nothing else of the request could be parsed.
  const isHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD '
  socket.end(rawRefusal(error.code, isHead))
}

/** Returns whether a part of an answer is still to be written: the client would take a refusal for that part. */
function isUnderWay(latest: ServerResponse | undefined): boolean {
  if (latest === undefined || latest.writableFinished) return false
  // A response has no socket while it waits for the one before it.
  return latest.socket === null || (latest.headersSent && !latest.writableEnded)
}

function rawRefusal(code: string | undefined, isHead: boolean): string {
  const [status, name, detail] =
    code === 'HPE_HEADER_OVERFLOW'
      ? ([431, 'headers_too_large', 'The headers are too large.'] as const)
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ([408, 'request_timeout', 'The request took too long to arrive.'] as const)
        : ([400, 'bad_request', 'This is not a valid HTTP request.'] as const)
  const problem = toProblem({ status, code: name, detail })
  const body = JSON.stringify(problem)
  return [
    `HTTP/1.1 ${status} ${problem.title}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    isHead ? '' : body,
  ].join('\r\n')
}
