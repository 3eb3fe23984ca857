import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { refuseUnread } from './refuseUnread.ts'

type Connections = {
  /**
   * Open connections, each with its latest response. Responses on a connection are sent in the order of their requests,
   * so the latest finishes last.
   */
  readonly latest: Map<Duplex, ServerResponse | 'answered' | undefined>
  isStopping: boolean
  /** Aborted when the server stops. */
  readonly stop: AbortController
}

/** A finished response is released within this time: it holds its whole request. */
const RELEASE_MS = 1000

const followed = new WeakMap<Server, Connections>()
const stops = new WeakMap<Duplex, AbortSignal>()

/** Returns the signal that is aborted when the server of a connection stops; undefined if it is not followed. */
export function stopSignal(socket: Duplex): AbortSignal | undefined {
  return stops.get(socket)
}

/** Follows the connections of a server. Call it before other listeners are added. */
export function followConnections(server: Server): void {
  const latest: Connections['latest'] = new Map()
  const stop = new AbortController()
  const connections: Connections = { latest, isStopping: false, stop }
  followed.set(server, connections)
  const release = setInterval(() => {
    for (const [socket, response] of latest) if (isFinished(response)) latest.set(socket, 'answered')
  }, RELEASE_MS)
  release.unref()
  server.once('close', () => clearInterval(release))
  server.on('connection', (socket) => {
    if (connections.isStopping) return socket.destroy()
    latest.set(socket, undefined)
    stops.set(socket, stop.signal)
    socket.once('close', () => latest.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    latest.set(socket, response)
    if (connections.isStopping) response.setHeader('Connection', 'close')
  })
  server.on('clientError', (error, socket) => {
    const response = latest.get(socket)
    refuseUnread(error, socket, response === 'answered' ? undefined : response)
  })
}

const SWEEP_MS = 50

/**
 * Stops a server: no new connections, idle ones closed, open requests answered completely. An accepted payment is
 * settled and answered before this resolves, or its claim is left to reconciliation.
 * @param graceMs time after which open connections are cut. @default 45000, longer than a handler and a settlement may take
 */
export function stopHttpServer(server: Server, graceMs = 45_000): Promise<void> {
  const connections = followed.get(server)
  if (connections === undefined) throw new TypeError('the server was not created by createHttpServer')
  const { latest } = connections
  connections.isStopping = true
  connections.stop.abort()
  for (const response of latest.values()) {
    if (typeof response === 'object' && !response.headersSent) response.setHeader('Connection', 'close')
  }
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
      for (const socket of latest.keys()) socket.destroy()
    }, graceMs)
    sweep()
  })
}

/** Returns whether all answers on a connection are flushed, or a refusal ended it. */
function isDone(socket: Duplex, response: ServerResponse | 'answered' | undefined): boolean {
  return socket.writableFinished || (isFinished(response) && socket.writableLength === 0)
}

const isFinished = (response: ServerResponse | 'answered' | undefined): boolean =>
  response === 'answered' || response?.writableFinished === true
