// Many sellers behind one port, distinguished by SNI and Host. Runs as a child process, so that its work does not count
// towards what is measured.
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

const CHALLENGE = JSON.stringify({
  x402Version: 1,
  error: 'payment required',
  accepts: [
    {
      scheme: 'exact',
      network: 'base',
      maxAmountRequired: '10000',
      resource: 'https://h0.crawl.test/quote',
      description: 'A quote',
      mimeType: 'application/json',
      payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      maxTimeoutSeconds: 60,
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      outputSchema: { input: { type: 'http', method: 'GET', discoverable: true } },
      extra: { name: 'USD Coin', version: '2' },
    },
  ],
})

process.once('message', ({ cert, key }: { cert: string; key: string }) => {
  const server = createServer({ cert, key }, (_request, response) => {
    response.writeHead(402, { 'content-type': 'application/json', 'content-length': CHALLENGE.length })
    response.end(CHALLENGE)
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1', 1_024, () => {
    process.send?.({ port: (server.address() as AddressInfo).port })
  })
})
