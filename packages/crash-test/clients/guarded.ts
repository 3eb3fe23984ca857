import { join } from 'node:path'
import { createGuard, type Guard } from '@touchstone402/guard'
import { createFileLedger } from '@touchstone402/guard/ledger'
import type { PrivateKeyAccount } from 'viem/accounts'
import { readPolicy } from './readPolicy.ts'
import { createV2Client, openAxios, openMppx, openV1, type Pay } from './stock.ts'

type Fetch = typeof globalThis.fetch

const { HOME = '.' } = process.env

/** Opens a stock client with the guard in one integration, and a ledger that outlives the run. */
type OpenGuarded = (guard: Guard, account: PrivateKeyAccount) => Promise<Pay>

const GUARDED: Readonly<Record<string, OpenGuarded>> = {
  'x402-fetch guard.fetch': (guard, account) => openV1(guard.fetch() as Fetch, account),
  '@x402/axios guard.axios': (guard, account) => openAxios((api) => guard.axios(api), account),
  /** A client with its own transport, which submits its 402 and its answer to the guard. */
  async '@x402/fetch guard.account'(guard, account) {
    const { x402HTTPClient } = await import('@x402/fetch')
    const client = new x402HTTPClient(await createV2Client(guard.account(account)))
    return async (url) => {
      const first = await fetch(url)
      if (first.status !== 402) return first
      const asked = {
        url,
        method: 'GET',
        headers: first.headers,
        body: await first.text(),
        requestBody: null,
      }
      const { header, body, paymentId } = await guard.approve(asked)
      const payload = await client.createPaymentPayload(client.getPaymentRequiredResponse(() => header, body))
      const headers = client.encodePaymentSignatureHeader(payload)
      const answer = await fetch(url, { headers, redirect: 'manual' })
      const text = await answer.text()
      await guard.report(paymentId, { status: answer.status, headers: answer.headers, body: text })
      return new Response(text, answer)
    }
  },
  async '@x402/fetch guard.hooks'(guard, account) {
    const { wrapFetchWithPayment } = await import('@x402/fetch')
    const client = guard.hooks(await createV2Client(account))
    return wrapFetchWithPayment(guard.fetch() as Fetch, client)
  },
  async '@x402/fetch createGuardedFetch'(guard, account) {
    const { createGuardedFetch } = await import('@touchstone402/guard/fetch')
    return createGuardedFetch({ guard, account })
  },
  'mppx guard.fetch': (guard, account) => openMppx(guard.fetch() as Fetch, guard.account(account) as never),
}

/** Finds a client by its library and integration. */
export function findGuarded(name: string, account: PrivateKeyAccount): (() => Promise<Pay>) | undefined {
  const open = Object.hasOwn(GUARDED, name) ? GUARDED[name] : undefined
  return open && (async () => open(await createOwnGuard(account), account))
}

async function createOwnGuard(account: PrivateKeyAccount): Promise<Guard> {
  const ledger = await createFileLedger(join(HOME, 'spending.jsonl'))
  const { createMpp } = await import('@touchstone402/guard/mpp')
  const mpp = createMpp()
  return createGuard({ account, ledger, mpp, policy: readPolicy() })
}
