import type { Service } from '@touchstone402/demo'
import { type Economy, USDC } from '@touchstone402/economy'
import { createTouchstoneClient } from '@touchstone402/guard/client'
import { FREE_OPERATIONS, OPERATIONS, type Operation, PAID_OPERATIONS } from '@touchstone402/shared'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { PrivateKeyAccount } from 'viem/accounts'
import { signFor } from '../support/sign.ts'
import { badQueries, goodQueries, type Samples } from './queries.ts'

/** Options of the calls. */
export type Caller = {
  readonly economy: Economy
  readonly service: Service
  /** Sends a call, counts the status of its response, and follows no redirect. */
  readonly send: typeof fetch
  /** Records faults beyond the form of a response. */
  readonly note: (fault: string) => void
  /** Free calls per client and minute. */
  readonly limit: number
  /** Sends a few queries per operation instead of all. */
  readonly short: boolean
}

const OTHER_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE']
const NEVER_SEEN = 'https://never-seen.example/api'

/** Calls every operation in every way that has a distinct response. The recording of the run checks their form. */
export async function callEverything(caller: Caller): Promise<void> {
  const { economy, short } = caller
  const [account] = economy.wallets.bots
  if (account === undefined) throw new Error('the economy has no bot')
  const endpoints = Object.values(economy.sellers).map(({ url }) => url)
  const samples: Samples = {
    endpoints: [...(short ? endpoints.slice(0, 3) : endpoints), NEVER_SEEN],
    tokens: [USDC, USDC.toLowerCase()],
  }
  await callFree(caller, samples)
  await callPaid(caller, samples, account)
  await callWithClient(caller, account, samples)
  await callTogether(caller, account)
  await callWhileDown(caller, account)
  await readPages(caller)
  await callTooOften(caller)
}

async function callFree({ service, send }: Caller, samples: Samples): Promise<void> {
  for (const id of FREE_OPERATIONS) {
    const operation: Operation = OPERATIONS[id]
    const url = service.url + operation.path
    for (const query of goodQueries(operation, samples)) {
      const { headers } = await send(`${url}?${query}`)
      await send(`${url}?${query}`, { method: 'HEAD' })
      await send(`${url}?${query}`, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })
    }
    for (const query of badQueries(operation, samples)) await send(`${url}?${query}`)
    for (const method of OTHER_METHODS) await send(url, { method })
  }
}

async function callPaid(caller: Caller, samples: Samples, account: PrivateKeyAccount): Promise<void> {
  const { service, send, note, economy, short } = caller
  await economy.chain.mintUsdc(account.address, 1_000_000_000n)
  const pay = payingFetch(send, account)
  for (const id of PAID_OPERATIONS) {
    const operation: Operation = OPERATIONS[id]
    const url = service.url + operation.path
    const good = goodQueries(operation, samples)
    const bad = badQueries(operation, samples)
    for (const query of [...good, ...bad]) await send(`${url}?${query}`)
    for (const method of ['HEAD', ...OTHER_METHODS]) await send(url, { method })
    for (const query of short ? good.slice(0, 2) : good) {
      const { status } = await pay(`${url}?${query}`)
      // An endpoint that was never seen is not sold.
      if (status !== 200 && status !== 404) note(`paid ${id}?${query}: status ${status}`)
    }
    // One payment serves for all bad queries: they are refused before it is used.
    const { headers } = await signFor(url, account, 2)
    for (const query of bad) await send(`${url}?${query}`, { headers })
    for (const header of ['PAYMENT-SIGNATURE', 'X-PAYMENT'])
      await send(url, { headers: { [header]: 'nonsense' } })
  }
  // A v1 purchase, and its idempotent replay.
  const { headers } = await signFor(`${service.url}/trust`, account, 1)
  for (const again of [1, 2]) await send(`${service.url}/trust?again=${again}`, { headers })
  await pay(`${service.url}/trust/history?endpoint=${encodeURIComponent(NEVER_SEEN)}`)
  await pay(`${service.url}/pulse?token=${account.address}`)
}

async function callWithClient(
  { service, send, note }: Caller,
  account: PrivateKeyAccount,
  { endpoints }: Samples,
): Promise<void> {
  const pay = payingFetch(send, account)
  const client = createTouchstoneClient({ url: service.url, fetch: send, pay })
  const [endpoint = ''] = endpoints
  const inputs: Readonly<Record<string, string>> = { endpoint, token: USDC }
  for (const [id, { query }] of Object.entries<Operation>(OPERATIONS)) {
    const required = Object.keys(query).filter((name) => query[name]?.required)
    const given = Object.fromEntries(required.map((name) => [name, inputs[name]]))
    const method: (query: Readonly<Record<string, unknown>>) => Promise<unknown> = Reflect.get(client, id)
    await method(given).catch((error: unknown) => note(`the client's ${id}(): ${error}`))
  }
}

/** Sends copies of one payment at once: one is delivered, the others must retry later. */
async function callTogether({ service, send }: Caller, account: PrivateKeyAccount): Promise<void> {
  const url = `${service.url}/trust`
  const { headers } = await signFor(url, account, 2)
  await Promise.all(Array.from({ length: 8 }, () => send(url, { headers })))
}

async function callWhileDown({ service, economy, send }: Caller, account: PrivateKeyAccount): Promise<void> {
  const { faults } = economy.facilitator
  faults.settle = { when: 'before', kind: '500' }
  try {
    for (const version of [1, 2] as const) {
      const url = `${service.url}/trust`
      const { headers } = await signFor(url, account, version)
      await send(url, { headers })
    }
  } finally {
    faults.settle = undefined
  }
}

async function readPages({ service, economy, send, note, short }: Caller): Promise<void> {
  const read = async (path: string, accept: string, type: string) => {
    const response = await send(service.url + path, { headers: { accept } })
    const said = response.headers.get('content-type') ?? ''
    if (response.status !== 200 || !said.startsWith(type))
      note(`${path} as ${accept}: status ${response.status}, media type ${said}`)
    return response.text()
  }
  const json = 'application/json'
  const hosts = Object.values(economy.sellers).map(({ host }) => encodeURIComponent(host))
  for (const host of short ? hosts.slice(0, 4) : hosts) {
    await read(`/services/${host}`, json, json)
    await read(`/services/${host}.json`, '*/*', json)
    await read(`/services/${host}`, '*/*', 'text/html')
    await read(`/services/${host}/feed.rss`, '*/*', 'application/rss+xml')
  }
  for (const path of ['/incidents', '/changes']) {
    const feed = await read(`${path}.rss`, '*/*', 'application/rss+xml')
    // An empty feed would make the check vacuous.
    if (!feed.includes('<item>')) note(`${path}.rss: no items`)
  }
  for (const path of ['/tokens', `/tokens/${USDC}`]) {
    await read(path, json, json)
    await read(`${path}.json`, '*/*', json)
    await read(path, '*/*', 'text/html')
  }
  for (const path of ['/', '/openapi.json', '/.well-known/jwks.json', '/.well-known/x402', '/healthz'])
    await read(path, json, json)
  const missing = await send(`${service.url}/no/such/path`)
  if (missing.status !== 404) note(`/no/such/path: status ${missing.status}`)
}

async function callTooOften({ service, send, limit }: Caller): Promise<void> {
  const headers = { 'x-forwarded-for': '192.168.77.7' }
  const url = `${service.url}${OPERATIONS.status.path}`
  for (let call = 0; call < limit; call++) await send(url, { headers })
  for (const id of FREE_OPERATIONS) await send(service.url + OPERATIONS[id].path, { headers })
}

function payingFetch(send: typeof fetch, account: PrivateKeyAccount) {
  return wrapFetchWithPayment(send, new x402Client().register('eip155:*', new ExactEvmScheme(account)))
}
