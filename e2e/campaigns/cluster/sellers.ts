import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Many sellers behind one port, told apart by their names. */
export type Sellers = {
  readonly port: number
  url(number: number): string
  /** How many of them were asked for their terms. */
  probed(): number
  /** The URLs of those that were asked last, so many at the most. */
  latest(count: number): string[]
  /** How often one was asked while it was answering somebody already. */
  overlapping(): number
  close(): void
}

/** Long enough for two processes to meet at one seller. */
const ANSWER_AFTER_MS = 5

/** Opens the sellers; they answer on this machine alone. */
export async function openSellers(payTo: string, asset: string): Promise<Sellers> {
  const busy = new Set<string>()
  const seen = new Set<string>()
  let overlaps = 0
  const server = createServer((request, response) => {
    const host = request.headers.host ?? ''
    if (busy.has(host)) overlaps++
    busy.add(host)
    // Also where whoever asked was killed.
    response.on('close', () => busy.delete(host))
    const isQuote = request.url === '/quote'
    if (isQuote) seen.add(host)
    setTimeout(() => {
      if (!isQuote) return response.writeHead(404).end()
      const challenge = {
        x402Version: 2,
        error: 'payment required',
        resource: { url: `http://${host}/quote`, description: 'A quote', mimeType: 'application/json' },
        accepts: [
          {
            scheme: 'exact',
            network: 'eip155:8453',
            amount: '10000',
            asset,
            payTo,
            maxTimeoutSeconds: 60,
            extra: { name: 'USD Coin', version: '2' },
          },
        ],
      }
      const header = Buffer.from(JSON.stringify(challenge)).toString('base64')
      return response.writeHead(402, { 'PAYMENT-REQUIRED': header }).end('{}')
    }, ANSWER_AFTER_MS)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1024, resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: (number) => `http://h${number}.sellers.test:${port}/quote`,
    probed: () => seen.size,
    latest: (count) => [...seen].slice(-count).map((host) => `http://${host}/quote`),
    overlapping: () => overlaps,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
