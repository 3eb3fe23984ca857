import { gzipSync } from 'node:zlib'
import { wrapAxiosWithPayment, x402Client } from '@x402/axios'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import axios from 'axios'
import axios7 from 'axios-1.7'
import axios13 from 'axios-1.13'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { GuardEvent } from '../events.ts'
import { createCountingAccount } from '../testing/clients.ts'
import { readData } from '../testing/recorder.ts'
import { challenge, deliver, HONEST, startSeller, type TestSeller, THIEF } from '../testing/seller.ts'
import { startService, type TestService, termOf } from '../testing/service.ts'
import { createGuard, type GuardOptions } from './createGuard.ts'

let service: TestService
let seller: TestSeller
let url: string
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(async () => {
  seller = await startSeller()
  url = `${seller.url}/weather`
  const terms = [termOf(HONEST, '10000')]
  service.decisions.set(url, { verdict: 'safe', receiverStability: 'stable', probes: 9, terms })
  return () => seller.stop()
})

type Library = typeof axios

function setUp(options: GuardOptions = {}, library: Library = axios, defaults: object = {}) {
  const { account, counter } = createCountingAccount()
  const events: GuardEvent[] = []
  const onDecision = (event: GuardEvent) => events.push(event)
  const guard = createGuard({ service: { url: service.url }, onDecision, ...options })
  const api = guard.axios(library.create({ proxy: false, ...defaults }))
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
  wrapAxiosWithPayment(api as never, client)
  return { guard, api, counter, events, client }
}

describe('guard.axios', () => {
  test('default: pays the approved terms and returns the answer of axios', async () => {
    const { api, counter, guard, events } = setUp()
    const { status, data } = await api.get(url, { params: { city: 'Oslo' } })
    expect([status, data]).toEqual([200, { weather: 'sunny' }])
    expect([counter.signatures, seller.payments.length]).toEqual([1, 1])
    expect(guard.ledger.totals().usdMicros).toBe(10_000n)
    expect(events.map(({ type }) => type)).toEqual(['allowed', 'settled'])
  })

  test('behavior: passes free calls with their redirects, errors and binary answers', async () => {
    seller.character = {
      before(request, response) {
        if (request.url === '/old') response.writeHead(302, { location: '/new' }).end()
        else if (request.url === '/missing') response.writeHead(404).end('no')
        else response.end(Buffer.from([1, 2, 255]))
        return true
      },
    }
    const { api, events } = setUp()
    const { data } = await api.get(`${seller.url}/old`, { responseType: 'arraybuffer' })
    expect([...new Uint8Array(data)]).toEqual([1, 2, 255])
    await expect(api.get(`${seller.url}/missing`)).rejects.toMatchObject({
      response: { status: 404, data: 'no' },
    })
    expect(events).toEqual([])
  })

  test.each<[string, NonNullable<TestSeller['character']['onPaid']>]>([
    ['a lost connection', (request) => request.socket.destroy()],
    ['a server error', (_, response) => void response.writeHead(503).end('later')],
    ['another 402', (request, response) => challenge(seller.url, {}, request, response)],
    ['silence', () => {}],
  ])('behavior: sends the same payment again after %s', async (_, fault) => {
    seller.character = {
      onPaid: (...call) => (seller.payments.length > 1 ? deliver(call[1]) : fault(...call)),
    }
    const { api, counter, events } = setUp()
    await expect(api.post(url, { city: 'Oslo' }, { timeout: 400 })).rejects.toThrow()
    const { data } = await api.post(url, { city: 'Oslo' })
    expect(data).toEqual({ weather: 'sunny' })
    expect([counter.signatures, new Set(seller.payments).size, seller.payments.length]).toEqual([1, 1, 2])
    expect(events.map(({ type }) => type)).toContain('resent')
    await api.post(url, { city: 'Bergen' })
    expect(counter.signatures).toBe(2)
  })

  test('error: refuses with the class of the guard before anything is signed', async () => {
    seller.character = { terms: [{ payTo: THIEF }] }
    const { api, counter } = setUp()
    const error = { name: 'PaymentBlockedError', code: 'RECEIVER_NOT_CHECKED', moneyMayHaveLeft: false }
    await expect(api.get(url)).rejects.toMatchObject(error)
    expect(counter.signatures).toBe(0)
  })

  test('error: follows no redirect of the paid call', async () => {
    const other = await startSeller()
    seller.character = {
      onPaid: (_, response) => void response.writeHead(307, { location: `${other.url}/weather` }).end(),
    }
    const { api } = setUp()
    await expect(api.get(url)).rejects.toMatchObject({ code: 'REDIRECT_AFTER_PAYMENT' })
    expect(other.payments).toEqual([])
    await other.stop()
  })
})

describe.each([
  ['1.7', axios7 as unknown as Library],
  ['1.13', axios13 as unknown as Library],
  ['the newest', axios],
] as const)('guard.axios over axios %s', (_, library) => {
  test.each<[string, (origin: string) => object, (origin: string) => object]>([
    [
      'default params',
      () => ({ params: { key: 'k', tags: ['a', 'b'] } }),
      () => ({ params: { city: 'Oslo' } }),
    ],
    [
      'default headers of which one is removed',
      () => ({ headers: { 'x-a': '1', 'x-b': '2' } }),
      () => ({ headers: { 'x-a': null } }),
    ],
    [
      'absolute URLs switched off',
      (baseURL) => ({ baseURL, allowAbsoluteUrls: false }),
      () => ({ url: '/weather' }),
    ],
    ['arrays of headers', () => ({}), () => ({ headers: { 'x-list': ['one', 'two'] } })],
    [
      'no content type',
      () => ({}),
      () => ({ method: 'POST', data: '{}', headers: { 'Content-Type': null } }),
    ],
    ['a user and a password', () => ({}), () => ({ auth: { username: 'me', password: 'secret' } })],
    [
      'a user and a password in the URL',
      () => ({}),
      (origin) => ({ url: origin.replace('//', '//me:secret@') }),
    ],
    ['an adapter for one request', () => ({}), () => ({ adapter: library.getAdapter('http') })],
    ['the fetch adapter', () => ({ adapter: 'fetch' }), () => ({ headers: { 'x-a': '1' } })],
  ])('behavior: pays the request that plain axios sends, with %s', async (_, defaults, own) => {
    const seen: string[] = []
    seller.character = {
      before({ method, url, rawHeaders }) {
        const headers = rawHeaders.map((text, place) =>
          /^(payment-signature)$/i.test(rawHeaders[place - 1] ?? '') ? 'PAYMENT' : text,
        )
        seen.push([method, url, ...headers].join('\n'))
        return false
      },
    }
    const terms = [termOf(HONEST, '10000'), termOf(HONEST, '10000', { method: 'POST' })]
    service.decisions.set(url, { verdict: 'safe', receiverStability: 'stable', probes: 9, terms })
    const call = { url, ...own(seller.url) }
    const { api, client, counter, guard } = setUp({}, library, defaults(seller.url))
    const plain = library.create({ proxy: false, ...defaults(seller.url) })
    wrapAxiosWithPayment(plain as never, client)
    expect((await plain.request(call)).status).toBe(200)
    const expected = seen.splice(0)
    expect((await api.request(call)).status).toBe(200)
    expect(seen).toEqual(expected)
    expect([expected.length, counter.signatures]).toEqual([2, 2])
    expect(guard.ledger.totals().usdMicros).toBe(10_000n)
    seller.character = { terms: [{ payTo: THIEF }] }
    await expect(api.request({ ...call, params: { other: 1 } })).rejects.toMatchObject({
      code: expect.stringMatching(/^RECEIVER_(NOT_CHECKED|PIN_MISMATCH)$/),
    })
  })

  test.each(['http', 'fetch'])(
    'error: no redirect takes the payment on, with the %s adapter',
    async (adapter) => {
      const other = await startSeller()
      seller.character = {
        onPaid: (_, response) => void response.writeHead(307, { location: `${other.url}/weather` }).end(),
      }
      const { api } = setUp({}, library)
      await expect(api.get(url, { adapter })).rejects.toMatchObject({ code: 'REDIRECT_AFTER_PAYMENT' })
      expect(other.payments).toEqual([])
      await other.stop()
    },
  )

  // Before 1.12 axios does not report the final URL of its fetch adapter; the payment then goes to the first origin alone.
  const telling = library.VERSION.startsWith('1.7') ? ['http'] : ['http', 'fetch']
  test.each(telling)('error: a 402 of another origin is not paid, with the %s adapter', async (adapter) => {
    const other = await startSeller()
    seller.character.before = (_, response) => {
      response.writeHead(302, { location: `${other.url}/weather` }).end()
      return true
    }
    const { api, counter } = setUp({}, library)
    await expect(api.get(url, { adapter })).rejects.toMatchObject({ code: 'REDIRECT_REFUSED' })
    expect(counter.signatures).toBe(0)
    await other.stop()
  })

  test.each(['http', 'fetch'])(
    'behavior: an abort while the caller is asked signs nothing, with the %s adapter',
    async (adapter) => {
      service.decisions.set(url, { verdict: 'caution', probes: 9, terms: [termOf(HONEST, '10000')] })
      const patience = new AbortController()
      const ask = () => {
        setTimeout(() => patience.abort(), 10)
        return new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 60))
      }
      const { api, counter, guard } = setUp({ ask }, library)
      const call = api.get(url, { adapter, signal: patience.signal })
      await expect(call).rejects.toMatchObject({ code: 'ERR_CANCELED' })
      await new Promise((resolve) => setTimeout(resolve, 80))
      expect([counter.signatures, guard.ledger.totals().usdMicros]).toEqual([0, 0n])
    },
  )

  test.each(['http', 'fetch'])(
    'error: an adapter that an interceptor sets is guarded too: %s',
    async (adapter) => {
      seller.character = { terms: [{ payTo: THIEF }] }
      const { api, counter } = setUp({}, library)
      api.interceptors.request.use((config) => Object.assign(config, { adapter }))
      await expect(api.get(url)).rejects.toMatchObject({ code: 'RECEIVER_NOT_CHECKED' })
      await expect(api.create().get(url)).rejects.toMatchObject({ code: 'RECEIVER_NOT_CHECKED' })
      expect(counter.signatures).toBe(0)
    },
  )

  test.each(['http', 'fetch'])(
    'behavior: a stream ends a paid call when it is read, with the %s adapter',
    async (adapter) => {
      let isWhole = false
      seller.character = {
        onPaid(request, response) {
          if (isWhole) return deliver(response, 'sunny')
          response.write('sun')
          setTimeout(() => request.socket.destroy(), 20)
        },
      }
      const { api, counter, guard } = setUp({}, library)
      const read = async () => {
        const { data } = await api.get(url, { adapter, responseType: 'stream' })
        const parts: Uint8Array[] = []
        for await (const part of data) parts.push(part)
        return Buffer.concat(parts).toString()
      }
      await expect(read()).rejects.toThrow()
      await expect.poll(() => guard.ledger.pending().length).toBe(1)
      isWhole = true
      expect(await read()).toBe('sunny')
      await expect.poll(() => guard.ledger.pending()).toEqual([])
      expect([counter.signatures, new Set(seller.payments).size, seller.payments.length]).toEqual([1, 1, 2])
    },
  )

  test.each(['http', 'fetch'])(
    'behavior: ten equal calls at once are paid once, and all are answered, with the %s adapter',
    async (adapter) => {
      seller.character = { onPaid: (_, response) => void setTimeout(() => deliver(response), 20) }
      const { api, counter, guard } = setUp({}, library)
      const calls = Array.from({ length: 10 }, () => api.get(url, { adapter }))
      const answers = await Promise.all(calls)
      expect(answers.map(({ status, data }) => [status, data])).toEqual(
        answers.map(() => [200, { weather: 'sunny' }]),
      )
      expect(answers.every(({ config, headers }) => config.url === url && headers['payment-response'])).toBe(
        true,
      )
      expect([counter.signatures, seller.payments.length]).toEqual([1, 1])
      expect(guard.ledger.totals().usdMicros).toBe(10_000n)
      await expect.poll(() => guard.ledger.pending()).toEqual([])
    },
  )

  test.each([
    ['http', 'arraybuffer'],
    ['http', 'stream'],
    ['fetch', 'arraybuffer'],
    ['fetch', 'blob'],
    ['fetch', 'stream'],
  ] as const)(
    'behavior: a shared answer has the form that was asked for: %s, %s',
    async (adapter, responseType) => {
      seller.character = {
        onPaid(_, response) {
          response.setHeader('content-encoding', 'gzip')
          setTimeout(() => deliver(response, gzipSync('{"weather":"sunny"}')), 20)
        },
      }
      const { api, counter } = setUp({}, library)
      const read = async () =>
        (await readData((await api.get(url, { adapter, responseType })).data)) as unknown
      const [first, second] = await Promise.all([read(), read()])
      expect(second).toEqual(first)
      expect(String(first)).toContain('{"weather":"sunny"}')
      expect(counter.signatures).toBe(1)
    },
  )

  test('behavior: an answer is not shared over different headers', async () => {
    seller.character = {
      onPaid: (request, response) =>
        void setTimeout(() => deliver(response, `"${request.headers['x-user']}"`), 20),
    }
    const { api, counter } = setUp({}, library)
    const users = ['A', 'B']
    const calls = users.map((user) => api.get(url, { headers: { 'x-user': user } }))
    expect((await Promise.all(calls)).map(({ data }) => data)).toEqual(users)
    expect(counter.signatures).toBe(2)
  })

  test.each(['http', 'fetch'])(
    'behavior: sends the same payment again after an answer that broke off, with the %s adapter',
    async (adapter) => {
      seller.character = {
        onPaid(request, response) {
          if (seller.payments.length > 1) return deliver(response)
          response.writeHead(200, { 'content-length': 100 }).write('{"weather"')
          setTimeout(() => request.socket.destroy(), 20)
        },
      }
      const { api, counter } = setUp({}, library)
      await expect(api.get(url, { adapter })).rejects.toThrow()
      expect((await api.get(url, { adapter })).data).toEqual({ weather: 'sunny' })
      expect([counter.signatures, new Set(seller.payments).size, seller.payments.length]).toEqual([1, 1, 2])
    },
  )
})
