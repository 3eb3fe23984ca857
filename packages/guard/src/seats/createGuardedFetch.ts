import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { ConfigurationError } from '../errors.ts'
import type { SigningAccount } from '../paying/signingAccount.ts'
import type { FetchLike } from '../types.ts'
import { createGuard, type Guard, type GuardOptions } from './createGuard.ts'

/**
 * Options of {@link createGuardedFetch}.
 * @example
 * const options: GuardedFetchOptions = { account, policy: { maxPerPaymentUsd: '0.05' } }
 */
export type GuardedFetchOptions = GuardOptions & {
  /** Signs approved payments. */
  account: SigningAccount
  /** Sends requests to the endpoints. @default the global fetch */
  fetch?: FetchLike
  /** An existing guard, in place of the options for one. */
  guard?: Guard
}

/**
 * Creates a `fetch` that pays x402 endpoints of both protocol versions under guard.
 * @throws ConfigurationError
 * @example
 * const pay = createGuardedFetch({ account, service: { url: 'https://touchstone.example' } })
 * const response = await pay('https://api.example.com/weather')
 */
export function createGuardedFetch(options: GuardedFetchOptions): FetchLike {
  const { account, fetch = globalThis.fetch, guard = createGuard(options) } = options
  if (options.guard !== undefined && options.policy !== undefined) {
    throw new ConfigurationError('CONFIGURATION', {
      details: 'policy: has no effect beside guard; pass it to createGuard',
    })
  }
  const client = registerExactEvmScheme(new x402Client(), { signer: guard.account(account) })
  // The policy has the limits; the client's own limit would refuse without a useful reason.
  client.setSpendControls(false)
  return wrapFetchWithPayment(
    guard.fetch(fetch, { payer: account.address }) as typeof globalThis.fetch,
    client,
  )
}
