import { createServer } from 'node:http'
import { hostName } from '../../support/manyHosts.ts'
import { offerOf, sendChallenge } from '../../support/seller.ts'
import { listen } from '../../support/serve.ts'

/** Many sellers behind one port, distinguished by hostname. */
export type Sellers = {
  readonly port: number
  url(number: number): string
  /** Number of probed sellers. */
  probed(): number
  /** Number of challenges that were answered. */
  quotes(): number
  /** Returns the URLs of the last probed sellers, at most `count`. */
  latest(count: number): string[]
  /** Number of requests that overlap at one seller. Its two documents, which one audit reads together, do not count. */
  overlapping(): number
  stop(): Promise<void>
}

/** Response delay in ms, long enough for two workers to overlap at one seller. */
const ANSWER_AFTER_MS = 5

/** Paths that answer with a challenge: `/quote`, and any number of them below `/v1/`. */
const PAID_PATH = /^\/(quote$|v1\/)/

/** Opens the sellers on loopback. */
export async function openSellers(payTo: string, asset: string): Promise<Sellers> {
  /** Open requests by host: whether each is a probe. */
  const busy = new Map<string, Set<{ isQuote: boolean }>>()
  const seen = new Set<string>()
  let overlaps = 0
  let quotes = 0
  const server = createServer((request, response) => {
    const host = request.headers.host ?? ''
    const own = { isQuote: PAID_PATH.test(request.url ?? '') }
    const { isQuote } = own
    const others = busy.get(host) ?? new Set()
    if ([...others].some((other) => isQuote || other.isQuote)) overlaps++
    busy.set(host, others.add(own))
    // Also emitted if the client was killed.
    response.on('close', () => others.delete(own))
    if (isQuote) seen.add(host)
    if (isQuote) quotes++
    setTimeout(() => {
      if (!isQuote) return response.writeHead(404).end()
      sendChallenge(request, response, { ...offerOf(payTo, '10000'), asset })
    }, ANSWER_AFTER_MS)
  })
  const { port, stop } = await listen(server)
  return {
    port,
    stop,
    url: (number) => `http://${hostName(number)}:${port}/quote`,
    probed: () => seen.size,
    quotes: () => quotes,
    latest: (count) => [...seen].slice(-count).map((host) => `http://${host}/quote`),
    overlapping: () => overlaps,
  }
}
