import { wrapAxiosWithPayment, x402Client } from '@x402/axios'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import axios from 'axios'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { GuardEvent } from '../events.ts'
import { createCountingAccount } from '../testing/clients.ts'
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

function setUp(options: GuardOptions = {}) {
  const { account, counter } = createCountingAccount()
  const events: GuardEvent[] = []
  const onDecision = (event: GuardEvent) => events.push(event)
  const guard = createGuard({ service: { url: service.url }, onDecision, ...options })
  const api = guard.axios(axios.create({ proxy: false }))
  wrapAxiosWithPayment(api, new x402Client().register('eip155:*', new ExactEvmScheme(account)))
  return { guard, api, counter, events }
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
