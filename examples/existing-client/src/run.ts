import { createGuard, type FetchLike, isGuardError, type SigningAccount } from '@touchstone402/guard'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'

export type ExistingClientOptions = {
  /** URL of the trust service. @default none, policy and ledger decide */
  touchstoneUrl?: string | undefined
  endpointUrl: string
  account: SigningAccount
  /** Used for every request. @default the global fetch */
  fetch?: typeof fetch
}

export type ExistingClientResult = { paid: boolean; message: string }

/** Pays one endpoint with an existing x402 client that the guard is added to. */
export async function run(options: ExistingClientOptions): Promise<ExistingClientResult> {
  const { touchstoneUrl, endpointUrl, account, fetch = globalThis.fetch } = options

  // Before the guard: an account, a client, and `wrapFetchWithPayment(fetch, client)`.
  const guard = createGuard({ service: touchstoneUrl ? { url: touchstoneUrl, fetch } : undefined })
  const client = registerExactEvmScheme(new x402Client(), { signer: guard.account(account) })
  const pay: FetchLike = wrapFetchWithPayment(guard.fetch(fetch) as typeof globalThis.fetch, client)

  try {
    const response = await pay(endpointUrl)
    return { paid: response.ok, message: `${response.status} ${await response.text()}` }
  } catch (error) {
    if (!isGuardError(error)) throw error
    return { paid: false, message: `${error.code}: ${error.message}` }
  }
}
