import type { RequestListener } from 'node:http'
import { type LocalServer, listen, sendJson } from './http.ts'

/** Counters of one host. */
type HostCounters = {
  hits: number
  /** Responses with a successful settlement. */
  paid: number
}

/** The server that all sellers share, which routes by the Host header. */
export type HostServer = LocalServer & {
  /** Routes `<name>.localhost:<port>` to the handler. */
  open(name: string, handler: RequestListener): HostCounters
}

/** Starts the shared server. */
export async function startHostServer(hold: () => () => void): Promise<HostServer> {
  const hosts = new Map<string, { handler: RequestListener; counters: HostCounters }>()
  const server = await listen((request, response) => {
    const name = (request.headers.host ?? '').toLowerCase().replace(/\.?(:\d+)?$/, '')
    const host = hosts.get(name)
    if (!host) return sendJson(response, 421, { error: 'unknown host' })
    host.counters.hits += 1
    response.once('finish', () => {
      if (response.hasHeader('payment-response') || response.hasHeader('x-payment-response'))
        host.counters.paid += 1
    })
    host.handler(request, response)
  }, hold)
  return {
    ...server,
    open: (name, handler) => {
      const counters = { hits: 0, paid: 0 }
      hosts.set(`${name}.localhost`, { handler, counters })
      return counters
    },
  }
}
