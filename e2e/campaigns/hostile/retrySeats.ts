import type { FetchLike, Guard } from '@touchstone402/guard'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client, x402HTTPClient } from '@x402/fetch'
import type { PrivateKeyAccount } from 'viem/accounts'
import { STOCK_CLIENTS } from '../../support/stockClients.ts'

type Pay = (url: string, signal: AbortSignal) => Promise<Response>

/** A seat of the guard in the retry matrix. */
export type RetrySeat = {
  name: string
  wire: 'v1' | 'v2'
  /** Whether the seat can send a payment again; the others refuse the retry. */
  resends: boolean
  open(guard: Guard, fetch: FetchLike, account: PrivateKeyAccount): Pay
}

const createClient = (signer: unknown) =>
  registerExactEvmScheme(new x402Client(), { signer: signer as PrivateKeyAccount })

const inner = (name: keyof typeof STOCK_CLIENTS, wire: 'v1' | 'v2'): RetrySeat => ({
  name: `guard.fetch under ${name} ${wire}`,
  wire,
  resends: true,
  open(guard, fetch, account) {
    const pay = STOCK_CLIENTS[name](guard.fetch(fetch), account, 'none')
    return (url, signal) => pay(url, { signal })
  },
})

/** Every seat with every protocol version that it can tell apart. */
export const RETRY_SEATS: readonly RetrySeat[] = [
  inner('@x402/fetch', 'v2'),
  inner('@x402/fetch', 'v1'),
  inner('x402-fetch', 'v1'),
  {
    name: 'guard.hooks',
    wire: 'v2',
    resends: true,
    open(guard, fetch, account) {
      const client = createClient(account)
      const http = new x402HTTPClient(client)
      guard.hooks(client, http)
      const pay = wrapFetchWithPayment(fetch as typeof globalThis.fetch, http)
      return (url, signal) => pay(url, { signal })
    },
  },
  {
    name: 'guard.account',
    wire: 'v2',
    resends: false,
    open: (guard, fetch, account) => payByHand(guard, fetch, account),
  },
  {
    name: 'guard.outer',
    wire: 'v2',
    resends: false,
    open(guard, fetch, account) {
      const paying = STOCK_CLIENTS['@x402/fetch'](fetch, account, 'none')
      const pay = guard.outer(paying, { probe: fetch })
      return (url, signal) => pay(url, { signal })
    },
  },
]

/** A client with its own transport, which submits its 402 to the guard. */
function payByHand(guard: Guard, fetch: FetchLike, account: PrivateKeyAccount): Pay {
  const client = new x402HTTPClient(createClient(guard.account(account)))
  return async (url, signal) => {
    const first = await fetch(url, { signal })
    if (first.status !== 402) return first
    const { header } = await guard.approve({ url, headers: first.headers, body: await first.text() })
    const required = client.getPaymentRequiredResponse(() => header)
    const payload = await client.createPaymentPayload(required)
    return fetch(url, { signal, headers: client.encodePaymentSignatureHeader(payload) })
  }
}
