import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { SigningAccount } from '../paying/signingAccount.ts'
import type { FetchLike } from '../types.ts'
import { createGuard, type Guard, type GuardOptions } from './createGuard.ts'

export type GuardedFetchOptions = GuardOptions & {
  /** Pays. Its key is used for approved payments only. */
  account: SigningAccount
  /** Reaches the endpoints. @default the global fetch */
  fetch?: FetchLike
  /** A guard made earlier, instead of the options for one. */
  guard?: Guard
}

/**
 * Makes a `fetch` that pays x402 endpoints of both protocol versions, each payment guarded.
 * @throws ConfigurationError
 */
export function createGuardedFetch(options: GuardedFetchOptions): FetchLike {
  const { account, fetch = globalThis.fetch, guard = createGuard(options) } = options
  const client = registerExactEvmScheme(new x402Client(), { signer: guard.account(account) })
  // The policy holds the limits; a second, hidden one would refuse without a reason that can be acted on.
  client.setSpendControls(false)
  return wrapFetchWithPayment(guard.fetch(fetch) as typeof globalThis.fetch, client)
}
