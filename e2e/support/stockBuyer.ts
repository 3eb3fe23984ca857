import type { Economy } from '@touchstone402/economy'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'

/** Returns a `fetch` of the stock client that pays from the wallet of a bot. @param fetch @default that of the economy */
export function createStockBuyer(
  { wallets, fetch: send }: Economy,
  bot = 0,
  fetch: typeof globalThis.fetch = send,
): typeof globalThis.fetch {
  const signer = wallets.bots[bot]
  if (signer === undefined) throw new Error('the economy has too few bots')
  return wrapFetchWithPayment(fetch, registerExactEvmScheme(new x402Client(), { signer }))
}
