import { createGuard, type FetchLike, isGuardError, type SigningAccount } from '@touchstone402/guard'
import { wrapAxiosWithPayment, x402Client } from '@x402/axios'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import axios, { type AxiosRequestConfig, isAxiosError } from 'axios'

export type AxiosGuardedOptions = {
  /** URL of the trust service. @default none, policy and ledger decide */
  touchstoneUrl?: string | undefined
  endpointUrl: string
  account: SigningAccount
  /** Used for requests to the service. @default the global fetch */
  fetch?: FetchLike
  /** Options of the axios instance. */
  axios?: AxiosRequestConfig
}

export type AxiosGuardedResult = { paid: boolean; message: string }

/** Pays one endpoint with axios if the guard approves it. */
export async function run(options: AxiosGuardedOptions): Promise<AxiosGuardedResult> {
  const { touchstoneUrl, endpointUrl, account, fetch = globalThis.fetch } = options
  const guard = createGuard({ service: touchstoneUrl ? { url: touchstoneUrl, fetch } : undefined })
  // The guard sees each 402 before the payment library does, and each signed payment before it leaves.
  const api = guard.axios(axios.create(options.axios))
  const scheme = new ExactEvmScheme(guard.account(account))
  wrapAxiosWithPayment(api, new x402Client().register('eip155:*', scheme))
  try {
    const { status, data } = await api.get(endpointUrl)
    return { paid: true, message: `${status} ${JSON.stringify(data)}` }
  } catch (error) {
    if (isGuardError(error)) return { paid: false, message: `${error.code}: ${error.message}` }
    if (isAxiosError(error) && error.response) return { paid: false, message: `${error.response.status}` }
    throw error
  }
}
