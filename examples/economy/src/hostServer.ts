import type { RequestListener } from 'node:http'
import { type LocalServer, listen, sendJson } from './http.ts'

/** What went through one host so far. */
type HostCounters = {
  /** Requests. */
  hits: number
  /** Answers that carried a successful settlement. */
  paid: number
}

/** One server that all sellers share: the Host header says which of them is meant. */
export type HostServer = LocalServer & {
  /** Opens a host; `<name>.localhost:<port>` is answered by the handler from now on. */
  open(name: string, handler: RequestListener): HostCounters
}

/** Starts the shared server. */
export async function startHostServer(hold: () => () => void): Promise<HostServer> {
  const hosts = new Map<string, { handler: RequestListener; counters: HostCounters }>()
  const server = await listen((request, response) => {
    const name = (request.headers.host ?? '').toLowerCase().replace(/\.?(:\d+)?$/, '')
    const host = hosts.get(name)
    if (!host) return sendJson(response, 421, { error: 'no such host here' })
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
