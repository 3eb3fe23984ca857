import type { FetchLike, Guard } from '@touchstone402/guard'
import { createGuardedFetchTool } from '@touchstone402/guard/ai-sdk'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { x402Client as AxiosClient, wrapAxiosWithPayment } from '@x402/axios'
import { ExactEvmScheme, registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client, x402HTTPClient } from '@x402/fetch'
import axios, { isAxiosError } from 'axios'
import type { PrivateKeyAccount } from 'viem/accounts'
import { type ClientName, STOCK_CLIENTS } from './stockClients.ts'

/** Pays a call under guard. */
export type Pay = (url: string, init?: RequestInit) => Promise<Response>

type OpenIntegration = (guard: Guard, fetch: FetchLike, account: PrivateKeyAccount) => Pay

const createClient = (signer: unknown) => {
  const client = registerExactEvmScheme(new x402Client(), { signer: signer as PrivateKeyAccount })
  return client.setSpendControls(false)
}

const openFetch =
  (name: ClientName): OpenIntegration =>
  (guard, fetch, account) =>
    STOCK_CLIENTS[name](guard.fetch(fetch), account, 'none')

/** The integrations of the guard, each below or beside a stock client. */
export const INTEGRATIONS = {
  fetch: openFetch('@x402/fetch'),
  'fetch of v1': openFetch('x402-fetch'),
  hooks(guard, fetch, account) {
    const client = guard.hooks(createClient(account))
    return wrapFetchWithPayment(guard.fetch(fetch) as typeof globalThis.fetch, client)
  },
  /** A client with its own transport, which submits its 402 and its answer to the guard. */
  account(guard, fetch, account) {
    const client = new x402HTTPClient(createClient(guard.account(account)))
    return async (url, init = {}) => {
      const first = await fetch(url, init)
      if (first.status !== 402) return first
      const { method = 'GET', body: requestBody = null } = init
      const asked = { url: first.url, method, headers: first.headers, body: await first.text(), requestBody }
      const { header, body, paymentId } = await guard.approve(asked)
      const required = client.getPaymentRequiredResponse(() => header, body)
      const payload = await client.createPaymentPayload(required)
      const headers = new Headers(init.headers)
      for (const [name, value] of Object.entries(client.encodePaymentSignatureHeader(payload)))
        headers.set(name, value)
      const answer = await fetch(first.url, { ...init, headers, redirect: 'manual' })
      const text = await answer.text()
      await guard.report(paymentId, { status: answer.status, headers: answer.headers, body: text })
      return new Response(text, answer)
    }
  },
  /** The guard's own client. */
  'guarded fetch': (guard, _, account) => createGuardedFetch({ account, guard }),
  axios(guard, _, account) {
    const api = guard.axios(axios.create({ proxy: false, responseType: 'text' }))
    wrapAxiosWithPayment(api, new AxiosClient().register('eip155:*', new ExactEvmScheme(account)))
    return async (url, { signal } = {}) => {
      const sent = api.get(url, signal ? { signal } : {})
      const { status, data } = await sent.catch((error: unknown) => {
        if (isAxiosError(error) && error.response !== undefined) return error.response
        throw error
      })
      return new Response(data, { status })
    }
  },
  'AI SDK tool'(guard, fetch, account) {
    const tool = createGuardedFetchTool({ account, guard, fetch })
    return async (url, { signal } = {}) => {
      const { text, data } = await tool.execute({ url }, signal ? { abortSignal: signal } : {})
      if (data === null) throw new Error(text)
      return new Response(String(data.content), { status: Number(data.status) })
    }
  },
} as const satisfies Record<string, OpenIntegration>

/** Name of an integration. */
export type IntegrationName = keyof typeof INTEGRATIONS

/** Integrations of the retry matrix, with the protocol version of their challenges. */
export const RETRY_INTEGRATIONS: readonly { integration: IntegrationName; wire: 'v1' | 'v2' }[] = [
  { integration: 'fetch', wire: 'v2' },
  { integration: 'fetch', wire: 'v1' },
  { integration: 'fetch of v1', wire: 'v1' },
  { integration: 'hooks', wire: 'v2' },
  { integration: 'axios', wire: 'v2' },
  { integration: 'AI SDK tool', wire: 'v2' },
  { integration: 'account', wire: 'v2' },
]

/** Whether an integration can send a payment again; the account one refuses the retry. */
export const resends = (integration: IntegrationName): boolean => integration !== 'account'
