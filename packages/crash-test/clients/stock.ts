import type { AxiosInstance } from 'axios'
import type { PrivateKeyAccount } from 'viem/accounts'

// Libraries are loaded by the client that uses them, so that each starts fast.

type Fetch = typeof globalThis.fetch

/** Calls a URL with GET and pays for it. */
export type Pay = (url: string) => Promise<Response>

/** Account of a key, or one of the guard's that stands for it. */
export type Account = Pick<PrivateKeyAccount, 'address' | 'signTypedData'>

/** x402 v1, with its own limit of $0.10 for one payment. */
export async function openV1(fetch: Fetch, account: Account): Promise<Pay> {
  const { wrapFetchWithPayment } = await import('x402-fetch')
  const { createWalletClient, http } = await import('viem')
  const { base } = await import('viem/chains')
  const transport = http('http://127.0.0.1:9')
  const wallet = createWalletClient({ account: account as PrivateKeyAccount, chain: base, transport })
  // Its types are for another version of viem.
  return wrapFetchWithPayment(fetch, wallet as never)
}

/** A client of x402 v2, with its own limit of $1.00 for one payment. */
export async function createV2Client(account: Account) {
  const { x402Client } = await import('@x402/fetch')
  const { registerExactEvmScheme } = await import('@x402/evm/exact/client')
  return registerExactEvmScheme(new x402Client(), { signer: account })
}

/** x402 v2 over fetch. */
export async function openV2(fetch: Fetch, account: Account): Promise<Pay> {
  const { wrapFetchWithPayment } = await import('@x402/fetch')
  return wrapFetchWithPayment(fetch, await createV2Client(account))
}

/** x402 v2 over axios. @param wrap what stands between axios and the library */
export async function openAxios(wrap: (api: AxiosInstance) => AxiosInstance, account: Account): Promise<Pay> {
  const { wrapAxiosWithPayment, x402Client } = await import('@x402/axios')
  const { ExactEvmScheme } = await import('@x402/evm/exact/client')
  const { default: axios } = await import('axios')
  const api = wrap(axios.create())
  wrapAxiosWithPayment(api, new x402Client().register('eip155:*', new ExactEvmScheme(account)))
  return async (url) => {
    const { status, data } = await api.get(url, { responseType: 'text' })
    return new Response(data, { status })
  }
}

/** MPP, which pays x402 too: charges in USDC on Base, and sessions on Tempo. It has no limits. */
export async function openMppx(fetch: Fetch, account: Account): Promise<Pay> {
  const { evm, Mppx, tempo } = await import('mppx/client')
  const { assets } = await import('mppx/evm')
  const { createClient, http } = await import('viem')
  const { tempo: chain } = await import('viem/tempo/chains')
  const { TEMPO_RPC_URL } = process.env
  const used = {
    account: account as PrivateKeyAccount,
    getClient: () => createClient({ chain, transport: http(TEMPO_RPC_URL) }) as never,
  }
  const methods = [evm.charge({ account: used.account, currencies: [assets.base.USDC] }), tempo.session(used)]
  return Mppx.create({ fetch, methods, polyfill: false }).fetch
}
