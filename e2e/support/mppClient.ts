import type { FetchLike, SigningAccount } from '@touchstone402/guard'
import { evm, Mppx } from 'mppx/client'
import { assets } from 'mppx/evm'

/** The stock MPP client, which pays x402 too. It has no limits. */
export function payByMpp(fetch: FetchLike, account: SigningAccount): FetchLike {
  const methods = [evm.charge({ account: account as never, currencies: [assets.base.USDC] })]
  return Mppx.create({ fetch: fetch as typeof globalThis.fetch, methods, polyfill: false }).fetch
}
