import { type FetchLike, isGuardError, type SigningAccount } from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'

export type QuickstartOptions = {
  /** URL of the trust service. @default none, policy and ledger decide */
  touchstoneUrl?: string | undefined
  endpointUrl: string
  account: SigningAccount
  /** Used for every request. @default the global fetch */
  fetch?: FetchLike
}

export type QuickstartResult = { paid: boolean; message: string }

/** Pays one endpoint if the guard approves it. */
export async function run(options: QuickstartOptions): Promise<QuickstartResult> {
  const { touchstoneUrl, endpointUrl, account, fetch = globalThis.fetch } = options
  const pay = createGuardedFetch({
    account,
    service: touchstoneUrl ? { url: touchstoneUrl, fetch } : undefined,
    policy: { maxPerPaymentUsd: '0.10' },
    fetch,
  })
  try {
    const response = await pay(endpointUrl)
    return { paid: response.ok, message: `${response.status} ${await response.text()}` }
  } catch (error) {
    if (!isGuardError(error)) throw error
    return { paid: false, message: `${error.code}: ${error.message}` }
  }
}
