import type { IncomingMessage, ServerResponse } from 'node:http'
import { USDC, walletAt } from '@touchstone402/economy'
import { BASE, encodeBase64Json } from '@touchstone402/shared'

/** Price of a call in atomic USDC. */
export const PRICE = '100'
export const RECEIVER = walletAt(150).address

/** Sends a v2 challenge. */
export function challenge(request: IncomingMessage, response: ServerResponse): void {
  const terms = { scheme: 'exact', network: BASE, amount: PRICE, asset: USDC, payTo: RECEIVER }
  const accepts = [{ ...terms, maxTimeoutSeconds: 60, extra: { name: 'USD Coin', version: '2' } }]
  const resource = { url: `http://${request.headers.host}${request.url}` }
  response.setHeader('PAYMENT-REQUIRED', encodeBase64Json({ x402Version: 2, resource, accepts }))
  response.writeHead(402).end('{}')
}
