import type { IncomingMessage, ServerResponse } from 'node:http'
import { USDC, walletAt } from '@touchstone402/economy'
import { BASE, encodeBase64Json } from '@touchstone402/shared'
import { type LocalServer, serve } from './serve.ts'

/** The receiver of the sellers. */
export const RECEIVER = walletAt(150).address

/** An offer of version 2, as stock sellers make it. */
export const offerOf = (payTo: string, amount: string) => ({
  scheme: 'exact',
  network: BASE,
  amount,
  asset: USDC,
  payTo,
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
})

/** Answers with a challenge of version 2 for the requested URL. */
export function sendChallenge(
  request: IncomingMessage,
  response: ServerResponse,
  ...accepts: readonly Readonly<Record<string, unknown>>[]
): void {
  const resource = { url: `http://${request.headers.host}${request.url}` }
  response.setHeader('PAYMENT-REQUIRED', encodeBase64Json({ x402Version: 2, resource, accepts }))
  response.writeHead(402).end('{}')
}

/** A seller that delivers for every payment, and settles none. */
export type QuickSeller = LocalServer & {
  /** Number of payments so far. */
  payments(): number
}

/** Opens a seller. @param termsAt receiver and atomic price of a path */
export async function openQuickSeller(
  termsAt: (path: string) => readonly [payTo: string, amount: string],
): Promise<QuickSeller> {
  let payments = 0
  const server = await serve((request, response) => {
    const isPaid = request.headers['payment-signature'] !== undefined
    if (!isPaid) return sendChallenge(request, response, offerOf(...termsAt(request.url ?? '/')))
    payments += 1
    response.end('sunny')
  })
  return { ...server, payments: () => payments }
}
