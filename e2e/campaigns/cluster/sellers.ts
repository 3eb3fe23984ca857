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
  /** Number of overlapping requests to one seller. */
  overlapping(): number
  stop(): Promise<void>
}

/** Response delay in ms, long enough for two workers to overlap at one seller. */
const ANSWER_AFTER_MS = 5

/** Paths that answer with a challenge: `/quote`, and any number of them below `/v1/`. */
const PAID_PATH = /^\/(quote$|v1\/)/

/** Opens the sellers on loopback. */
export async function openSellers(payTo: string, asset: string): Promise<Sellers> {
  const busy = new Set<string>()
  const seen = new Set<string>()
  let overlaps = 0
  let quotes = 0
  const server = createServer((request, response) => {
    const host = request.headers.host ?? ''
    if (busy.has(host)) overlaps++
    busy.add(host)
    // Also emitted if the client was killed.
    response.on('close', () => busy.delete(host))
    const isQuote = PAID_PATH.test(request.url ?? '')
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
