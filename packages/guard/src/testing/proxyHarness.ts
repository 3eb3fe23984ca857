import dns from 'node:dns'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { createMemoryLedger } from '../ledger/journal.ts'
import { askOperator, readPagePassword } from '../node/cli/askOperator.ts'
import { type ProxyOptions, proxyLimits, startProxy } from '../node/proxy/startProxy.ts'
import { createCountingAccount } from './clients.ts'
import { replaceBuiltin } from './replaceBuiltin.ts'
import { HONEST, startSeller, type TestSeller } from './seller.ts'
import { startService, type TestService, termOf } from './service.ts'

export const TOKEN = 'token-of-research'
export const OPERATOR = 'secret-of-the-operator'

/** An answer, read whole. */
export type Reply = { status: number; headers: IncomingMessage['headers']; text: string }

/** A request to a proxy; the token is that of the task research unless `headers` has one. */
export type Asked = {
  method?: string
  headers?: Record<string, string | string[] | null>
  body?: string | Buffer
}

/** Sets up a service, one safe seller and a wallet for tests of the proxy. */
export function useProxyHarness() {
  let service: TestService
  let seller: TestSeller
  const stops: (() => Promise<void>)[] = []
  beforeAll(async () => {
    service = await startService()
  })
  beforeEach(async () => {
    seller = await startSeller()
    const terms = [termOf(HONEST, '10000')]
    const safe = { verdict: 'safe' as const, receiverStability: 'stable' as const, probes: 9, terms }
    service.decisions.set(`${seller.url}/weather`, safe)
  })
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
    await seller.stop()
  })
  afterAll(() => service.stop())
  return {
    get service() {
      return service
    },
    get seller() {
      return seller
    },
    /** Starts a proxy that reaches the seller, with a task of $2.00. */
    async start(change: Partial<ProxyOptions> = {}) {
      const { account, counter } = createCountingAccount()
      const running = await startProxy({
        account,
        service: { url: service.url },
        ledger: createMemoryLedger(),
        tasks: new Map([[TOKEN, { name: 'research', maxUsd: '2.00' }]]),
        operator: OPERATOR,
        place: { port: 0 },
        signs: false,
        env: {},
        allowHosts: [new URL(seller.url).host],
        ...proxyLimits(1),
        ...change,
      })
      stops.push(() => running.stop())
      const { address } = running
      const place = { address, secret: OPERATOR }
      const ask = (path: string, asked?: Asked) => askProxy(address, path, asked)
      /** Sends a command of the operator. */
      const command = (method: 'GET' | 'POST', path: string) => askOperator(place, method, path)
      /** Sends a request of the operator's page. */
      const press = async (path: string, { method = 'POST', headers }: Asked = {}) =>
        ask(path, { method, headers: { ...asOperator(await readPagePassword(place), address), ...headers } })
      const page = async () => (await press('/', { method: 'GET' })).text
      return { ...running, account, counter, ask, command, press, page, weather: `/${seller.url}/weather` }
    },
  }
}

/** Sends one request with exactly the headers given, beside `Host` and the token. */
export async function askProxy(
  address: string,
  path: string,
  { method = 'GET', headers = {}, body }: Asked = {},
): Promise<Reply> {
  const { hostname = 'localhost', port = '' } = address.startsWith('http') ? new URL(address) : {}
  const where = port === '' ? { socketPath: address, host: hostname } : { hostname, port }
  const given: [string, string | string[] | null][] = Object.entries({
    'Touchstone-Token': TOKEN,
    ...headers,
  })
  const sent = Object.fromEntries(given.flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
  // Kept alive, so that an answer before the end of the body is not lost.
  const asked = request({
    ...where,
    method,
    path,
    headers: { Connection: 'keep-alive', ...sent },
    agent: false,
  })
  // Also the rest of a body that was not read; one without an answer is reported by `once`.
  asked.on('socket', (socket) => socket.on('error', () => {}))
  asked.on('error', () => {}).end(body)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode ?? 0, headers: response.headers, text }
}

/** Answers look-ups of names in place of the resolver, until the end of the test. Returns the names that were asked for. */
export function answerLookups(answer: (name: string, nth: number) => Promise<string>): string[] {
  const asked: string[] = []
  replaceBuiltin(dns.promises, 'lookup', () => async (name: string) => {
    asked.push(name)
    return [{ address: await answer(name, asked.length), family: 4 }]
  })
  return asked
}

/** Headers of the operator's page, as a browser sends them with a form. */
export const asOperator = (password: string, origin: string) => ({
  authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}`,
  Origin: origin,
  'Sec-Fetch-Site': 'same-origin',
  'Touchstone-Token': null,
})
