import type { RequestListener } from 'node:http'
import { type LocalServer, listen, sendJson } from './http.ts'

/** Counters of one host. */
type HostCounters = {
  hits: number
  /** Responses with a successful settlement. */
  paid: number
}

/** A seller's host, which answers once `serve` was called. */
export type OpenHost = {
  /** Host with port. */
  readonly host: string
  readonly counters: HostCounters
  serve(handler: RequestListener): void
}

/** Opens hosts for sellers. */
export type Hosts = {
  open(name: string): Promise<OpenHost>
  close(): Promise<void>
}

/** Serves every host on one port as `<name>.localhost`, distinguished by the Host header. */
export async function openNamedHosts(hold: () => () => void, port?: number): Promise<Hosts> {
  const listeners = new Map<string, RequestListener>()
  const server = await listen(
    (request, response) => {
      const host = (request.headers.host ?? '').toLowerCase().replace(/\.?(:\d+)?$/, '')
      const listener = listeners.get(host)
      if (!listener) return sendJson(response, 421, { error: 'unknown host' })
      listener(request, response)
    },
    hold,
    port,
  )
  return {
    close: server.close,
    async open(name) {
      const { listener, ...counted } = createCounted()
      listeners.set(`${name}.localhost`, listener)
      return { host: `${name}.localhost:${server.port}`, ...counted }
    },
  }
}

/** Serves every host on a separate port at 127.0.0.1, so that clients need not resolve a name. */
export function openPortHosts(hold: () => () => void): Hosts {
  const servers: LocalServer[] = []
  return {
    async close() {
      await Promise.all(servers.map((server) => server.close()))
    },
    async open() {
      const { listener, ...counted } = createCounted()
      const server = await listen(listener, hold)
      servers.push(server)
      return { host: `127.0.0.1:${server.port}`, ...counted }
    },
  }
}

function createCounted() {
  const counters: HostCounters = { hits: 0, paid: 0 }
  let handler: RequestListener = (_, response) => sendJson(response, 503, { error: 'not ready' })
  const listener: RequestListener = (request, response) => {
    counters.hits += 1
    response.once('finish', () => {
      if (response.hasHeader('payment-response') || response.hasHeader('x-payment-response'))
        counters.paid += 1
    })
    handler(request, response)
  }
  const serve = (given: RequestListener) => {
    handler = given
  }
  return { counters, listener, serve }
}
