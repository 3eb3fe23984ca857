import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment as wrapV2, x402Client } from '@x402/fetch'
import { createWalletClient, http } from 'viem'
import { base } from 'viem/chains'
import { wrapFetchWithPayment as wrapV1 } from 'x402-fetch'
import { createTestAccount } from '../node/testkit/index.ts'
import type { FetchLike } from '../types.ts'

// The first well-known key of local test chains.
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

/** Creates a wallet that counts its signatures. */
export function createCountingAccount() {
  const account = createTestAccount(KEY)
  return { account, counter: account }
}

export type CountingAccount = ReturnType<typeof createCountingAccount>['account']

/** Unmodified clients of both protocol versions. */
export const STOCK_CLIENTS = {
  '@x402/fetch': (fetch: FetchLike, account: CountingAccount): FetchLike => {
    const client = registerExactEvmScheme(new x402Client(), { signer: account })
    return wrapV2(fetch as typeof globalThis.fetch, client)
  },
  'x402-fetch': (fetch: FetchLike, account: CountingAccount): FetchLike => {
    const wallet = createWalletClient({ account, chain: base, transport: http('http://127.0.0.1:9') })
    // Lifts the client's own limit of $0.10.
    const pay = wrapV1(fetch as typeof globalThis.fetch, wallet as never, 10n ** 12n)
    return (input, init) => pay(input as RequestInfo, init)
  },
} as const

export type ClientName = keyof typeof STOCK_CLIENTS
export const CLIENT_NAMES = Object.keys(STOCK_CLIENTS) as ClientName[]
