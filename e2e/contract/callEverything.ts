import type { Service } from '@touchstone402/demo'
import { type Economy, USDC } from '@touchstone402/economy'
import { createTouchstoneClient } from '@touchstone402/guard/client'
import { FREE_OPERATIONS, OPERATIONS, type Operation, PAID_OPERATIONS } from '@touchstone402/shared'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { PrivateKeyAccount } from 'viem/accounts'
import { signFor } from '../support/sign.ts'
import { checkJsonFeed, checkRss } from './checkFeeds.ts'
import type { Checker } from './createChecker.ts'
import { badQueries, goodQueries, type Samples } from './queries.ts'
import type { Watch } from './watchAnswers.ts'

/** Options of the calls. */
export type Caller = {
  readonly economy: Economy
  readonly service: Service
  readonly check: Checker
  readonly watch: Watch
  /** Free calls per client and minute. */
  readonly limit: number
  /** Sends a few queries per operation instead of all. */
  readonly short: boolean
}

const OTHER_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE']
const NEVER_SEEN = 'https://never-seen.example/api'

/** Calls every operation in every way that has a distinct response. */
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

async function callFree({ service, watch }: Caller, samples: Samples): Promise<void> {
  for (const id of FREE_OPERATIONS) {
    const operation: Operation = OPERATIONS[id]
    const url = service.url + operation.path
    for (const query of goodQueries(operation, samples)) {
      const { headers } = await watch.fetch(`${url}?${query}`)
      await watch.fetch(`${url}?${query}`, { method: 'HEAD' })
      await watch.fetch(`${url}?${query}`, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })
    }
    for (const query of badQueries(operation, samples)) await watch.fetch(`${url}?${query}`)
    for (const method of OTHER_METHODS) await watch.fetch(url, { method })
  }
}

async function callPaid(caller: Caller, samples: Samples, account: PrivateKeyAccount): Promise<void> {
  const { service, watch, economy, short } = caller
  await economy.chain.mintUsdc(account.address, 1_000_000_000n)
  const pay = payingFetch(watch, account)
  for (const id of PAID_OPERATIONS) {
    const operation: Operation = OPERATIONS[id]
    const url = service.url + operation.path
    const good = goodQueries(operation, samples)
    const bad = badQueries(operation, samples)
    for (const query of [...good, ...bad]) await watch.fetch(`${url}?${query}`)
    for (const method of ['HEAD', ...OTHER_METHODS]) await watch.fetch(url, { method })
    for (const query of short ? good.slice(0, 2) : good) {
      const { status } = await pay(`${url}?${query}`)
      // An endpoint that was never seen is not sold.
      if (status !== 200 && status !== 404) watch.note(`paid ${id}?${query}`, [`status ${status}`])
    }
    // One payment serves for all bad queries: they are refused before it is used.
    const { headers } = await signFor(url, account, 2)
    for (const query of bad) await watch.fetch(`${url}?${query}`, { headers })
    for (const header of ['PAYMENT-SIGNATURE', 'X-PAYMENT'])
      await watch.fetch(url, { headers: { [header]: 'nonsense' } })
  }
  // A v1 purchase, and its idempotent replay.
  const { headers } = await signFor(`${service.url}/trust`, account, 1)
  for (const again of [1, 2]) await watch.fetch(`${service.url}/trust?again=${again}`, { headers })
  await pay(`${service.url}/trust/history?endpoint=${encodeURIComponent(NEVER_SEEN)}`)
  await pay(`${service.url}/pulse?token=${account.address}`)
}

async function callWithClient(
  { service, watch }: Caller,
  account: PrivateKeyAccount,
  { endpoints }: Samples,
): Promise<void> {
  const client = createTouchstoneClient({
    url: service.url,
    fetch: watch.fetch,
    pay: payingFetch(watch, account),
  })
  const [endpoint = ''] = endpoints
  const inputs: Readonly<Record<string, string>> = { endpoint, token: USDC }
  for (const [id, { query }] of Object.entries<Operation>(OPERATIONS)) {
    const required = Object.keys(query).filter((name) => query[name]?.required)
    const given = Object.fromEntries(required.map((name) => [name, inputs[name]]))
    const method: (query: Readonly<Record<string, unknown>>) => Promise<unknown> = Reflect.get(client, id)
    const faults = await method(given).then(
      () => [],
      (error: unknown) => [String(error)],
    )
    watch.note(`the client's ${id}()`, faults)
  }
}

/** Sends copies of one payment at once: one is delivered, the others are told to retry later. */
async function callTogether({ service, watch }: Caller, account: PrivateKeyAccount): Promise<void> {
  const url = `${service.url}/trust`
  const { headers } = await signFor(url, account, 2)
  await Promise.all(Array.from({ length: 8 }, () => watch.fetch(url, { headers })))
}

async function callWhileDown({ service, economy, watch }: Caller, account: PrivateKeyAccount): Promise<void> {
  const { faults } = economy.facilitator
  faults.settle = { when: 'before', kind: '500' }
  try {
    for (const version of [1, 2] as const) {
      const url = `${service.url}/trust`
      const { headers } = await signFor(url, account, version)
      await watch.fetch(url, { headers })
    }
  } finally {
    faults.settle = undefined
  }
}

async function readPages({ service, economy, watch, check, short }: Caller): Promise<void> {
  let client = 0
  const read = async (path: string, accept: string, type: string, inspect: (body: string) => string[]) => {
    client += 1
    const headers = { accept, 'x-forwarded-for': `172.16.0.${client % 256}` }
    const response = await fetch(service.url + path, { headers })
    const said = response.headers.get('content-type') ?? ''
    const wrong = response.status === 200 ? [] : [`status ${response.status}`]
    if (!said.startsWith(type)) wrong.push(`media type ${said}`)
    watch.note(`${path} as ${accept}`, [...wrong, ...inspect(await response.text())])
  }
  const json = 'application/json'
  const fine = () => []
  const hosts = Object.values(economy.sellers).map(({ host }) => encodeURIComponent(host))
  for (const host of short ? hosts.slice(0, 4) : hosts) {
    await read(`/services/${host}`, json, json, (body) => check.body('Profile', body))
    await read(`/services/${host}`, 'text/html', 'text/html', fine)
    await read(`/services/${host}/feed.rss`, '*/*', 'application/rss+xml', checkRss)
    await read(`/services/${host}/feed.json`, '*/*', 'application/feed+json', checkJsonFeed)
  }
  for (const path of ['/incidents', '/changes']) {
    await read(`${path}.rss`, '*/*', 'application/rss+xml', checkRss)
    await read(`${path}.feed.json`, '*/*', 'application/feed+json', (body) => [
      ...checkJsonFeed(body),
      // An empty feed would make the check vacuous.
      ...(body.includes('"items":[{') ? [] : ['no items']),
    ])
  }
  for (const path of ['/', '/openapi.json', '/.well-known/jwks.json', '/.well-known/x402', '/healthz'])
    await read(path, json, json, (body) => (typeof JSON.parse(body) === 'object' ? [] : ['no object']))
  const missing = await fetch(`${service.url}/no/such/path`)
  watch.note('/no/such/path', [
    ...(missing.status === 404 ? [] : [`status ${missing.status}`]),
    ...check.body('Problem', await missing.text()),
  ])
}

async function callTooOften({ service, watch, limit }: Caller): Promise<void> {
  const headers = { 'x-forwarded-for': '192.168.77.7' }
  const url = `${service.url}${OPERATIONS.status.path}`
  for (let call = 0; call < limit; call++) await watch.fetch(url, { headers })
  for (const id of FREE_OPERATIONS) await watch.fetch(service.url + OPERATIONS[id].path, { headers })
}

function payingFetch({ fetch }: Watch, account: PrivateKeyAccount) {
  return wrapFetchWithPayment(fetch, new x402Client().register('eip155:*', new ExactEvmScheme(account)))
}
