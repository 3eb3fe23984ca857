import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { CallCap } from '../decide/caps.ts'
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
 * A `fetch` that pays, with an optional limit for one call.
 * @example
 * const buy = (pay: GuardedFetch) => pay('https://api.example.com/report', { maxUsd: '0.25' })
 */
export type GuardedFetch = (input: RequestInfo | URL, init?: RequestInit & CallCap) => Promise<Response>

/**
 * Creates a `fetch` that pays x402 endpoints of both protocol versions under guard. Its calls take `maxUsd`, the most
 * that this one may cost.
 * @throws ConfigurationError
 * @example
 * const pay = createGuardedFetch({ account, service: { url: 'https://touchstone.example' } })
 * const response = await pay('https://api.example.com/weather')
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { account, fetch = globalThis.fetch, guard = createGuard(options) } = options
  const client = registerExactEvmScheme(new x402Client(), { signer: guard.account(account) })
  // The policy has the limits; the client's own limit would refuse without a useful reason.
  client.setSpendControls(false)
  const wrap = (cap: CallCap) => {
    const inner = guard.fetch(fetch, { payer: account.address, ...cap })
    return wrapFetchWithPayment(inner as typeof globalThis.fetch, client)
  }
  const pay = wrap({})
  return async (input, init) => {
    const maxUsd = init?.maxUsd
    return (maxUsd === undefined ? pay : wrap({ maxUsd }))(input, init)
  }
}
