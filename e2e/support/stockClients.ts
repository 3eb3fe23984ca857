import type { FetchLike } from '@touchstone402/guard'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment as wrapV2, x402Client } from '@x402/fetch'
import { createWalletClient, http } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { wrapFetchWithPayment as wrapV1 } from 'x402-fetch'

/** A signature request that a wallet signed. */
export type Signed = {
  primaryType: string
  domain: Record<string, unknown>
  message: Record<string, unknown>
}

/** A wallet that signs everything and records it. */
export type RecordingWallet = { account: PrivateKeyAccount; signed: Signed[] }

/** Creates a wallet from a key. @param onSign hears of each signature before the caller gets it */
export function createRecordingWallet(
  key: `0x${string}`,
  onSign: (signed: Signed) => void = () => {},
): RecordingWallet {
  const account = privateKeyToAccount(key)
  const signed: Signed[] = []
  const signTypedData: typeof account.signTypedData = (data) => {
    const { primaryType, domain, message } = data
    const request: Signed = {
      primaryType,
      domain: { ...(domain as Record<string, unknown> | undefined) },
      message: { ...(message as Record<string, unknown>) },
    }
    signed.push(request)
    onSign(request)
    return account.signTypedData(data)
  }
  return { account: { ...account, signTypedData }, signed }
}

/** Whether a client keeps its default limits, or leaves limits to the guard. */
export type ClientLimits = 'stock' | 'none'

/** The stock clients of both protocol versions. */
export const STOCK_CLIENTS = {
  '@x402/fetch': (fetch: FetchLike, account: PrivateKeyAccount, limits: ClientLimits): FetchLike => {
    const client = registerExactEvmScheme(new x402Client(), { signer: account })
    if (limits === 'none') client.setSpendControls(false)
    return wrapV2(fetch as typeof globalThis.fetch, client)
  },
  'x402-fetch': (fetch: FetchLike, account: PrivateKeyAccount, limits: ClientLimits): FetchLike => {
    const wallet = createWalletClient({ account, chain: base, transport: http('http://127.0.0.1:9') })
    const limit = limits === 'none' ? [2n ** 256n] : []
    // Its types are for another version of viem.
    const pay = wrapV1(fetch as typeof globalThis.fetch, wallet as never, ...limit)
    return (input, init) => pay(input as RequestInfo, init)
  },
} as const

export type ClientName = keyof typeof STOCK_CLIENTS
