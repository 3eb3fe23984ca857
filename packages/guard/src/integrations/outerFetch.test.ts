import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { GuardEvent } from '../events.ts'
import { createCountingAccount, STOCK_CLIENTS } from '../testing/clients.ts'
import { deliver, HONEST, startSeller, type TestSeller } from '../testing/seller.ts'
import { startService, type TestService, termOf } from '../testing/service.ts'
import { createGuard, type GuardOptions, guardFetch } from './createGuard.ts'

let service: TestService
let seller: TestSeller
let url: string

beforeAll(async () => {
  service = await startService()
  seller = await startSeller()
  url = `${seller.url}/weather`
})
afterAll(async () => {
  await service.stop()
  await seller.stop()
})
beforeEach(() => {
  seller.payments.length = 0
  seller.character = {}
  service.fault = null
  know()
})

function know(change: object = {}): void {
  const terms = [termOf(HONEST, '10000'), termOf(HONEST, '9000')]
  service.decisions.set(url, { verdict: 'safe', receiverStability: 'stable', probes: 9, terms, ...change })
}

function setUp(options: GuardOptions = {}) {
  const { account, counter } = createCountingAccount()
  const guard = createGuard({ service: { url: service.url }, ...options })
  return { guard, counter, pay: guard.outer(STOCK_CLIENTS['@x402/fetch'](fetch, account)) }
}

async function refusal(options: GuardOptions = {}, target = url): Promise<unknown> {
  const { pay, counter, guard } = setUp(options)
  const outcome = await pay(target).catch((error) => error.code)
  expect(counter.signatures).toBe(0)
  // Every refusal emits exactly one event.
  expect(guard.counters()).toMatchObject({ refused: { [outcome]: 1 }, paid: 0 })
  return outcome
}

describe('guard.outer', () => {
  test('default: pays through a finished paying fetch and counts the most expensive checked terms', async () => {
    const { pay, guard, counter } = setUp()
    expect((await pay(url)).status).toBe(200)
    expect(counter.signatures).toBe(1)
    expect(guard.ledger.totals().usdMicros).toBe(10_000n)
    expect(guard.counters()).toMatchObject({ allowed: 1, paid: 1, settled: 1 })
  })

  test('behavior: creates a guard from options with guardFetch', async () => {
    know({ verdict: 'avoid' })
    const pay = guardFetch(fetch, { service: { url: service.url } })
    await expect(pay(url)).rejects.toMatchObject({ code: 'VERDICT_AVOID' })
  })

  test('behavior: permits no payment in another integration', async () => {
    const { guard, pay } = setUp()
    await pay(url)
    const headers = { 'PAYMENT-SIGNATURE': seller.payments[0] ?? '' }
    await expect(guard.fetch()(url, { headers })).rejects.toMatchObject({ code: 'NO_INTENT' })
  })

  test('behavior: passes free pages, known or not, without a look-up', async () => {
    seller.character = { before: (_, response) => Boolean(response.end('free')) }
    const { pay, guard } = setUp()
    expect(await (await pay(`${seller.url}/about`)).text()).toBe('free')
    expect(await (await pay(url, { method: 'POST', body: 'x' })).text()).toBe('free')
    expect(guard.counters()).toMatchObject({ allowed: 0, paid: 0, verdictRequests: 0 })
  })

  test('behavior: says at creation what it does not see', () => {
    const events: GuardEvent[] = []
    setUp({ onDecision: (event) => events.push(event) })
    expect(events).toMatchObject([
      { type: 'weak_integration', reason: expect.stringContaining('signed payment') },
    ])
  })

  test('behavior: sends a body twice, once to see the 402', async () => {
    const bodies: string[] = []
    seller.character = {
      before(request) {
        request.on('data', (chunk) => bodies.push(String(chunk)))
        return false
      },
    }
    const { pay } = setUp()
    const body = () => new Response('hello').body
    expect((await pay(url, { method: 'POST', body: body(), duplex: 'half' } as RequestInit)).status).toBe(200)
    expect(bodies).toEqual(['hello', 'hello', 'hello'])
  })

  test('error: makes no second call while a payment may be open', async () => {
    seller.character = { onPaid: (request) => request.destroy() }
    const { pay, counter } = setUp()
    await expect(pay(url)).rejects.toMatchObject({
      ...{ code: 'NO_ANSWER', cause: { message: 'fetch failed' }, payment: { retryResends: false } },
      remedy: 'Ask the seller for the result; the payment cannot be sent again.',
    })
    await expect(pay(url)).rejects.toMatchObject({ code: 'PAYMENT_PENDING', moneyMayHaveLeft: true })
    expect(counter.signatures).toBe(1)
  })

  test('error: refuses by verdict and budget', async () => {
    expect(await refusal({ policy: { maxPerPaymentUsd: '0.009' } })).toBe('OVER_PAYMENT_LIMIT')
    expect(await refusal({ policy: { networks: ['eip155:84532'] } })).toBe('NETWORK_NOT_ALLOWED')
    seller.character = { terms: [{ amount: '200000' }] }
    expect(await refusal({}, `${seller.url}/other`)).toBe('VERDICT_UNKNOWN')
    seller.character = {}
    expect(await refusal({}, 'not a url')).toBe('URL_INVALID')
    know({ verdict: 'caution' })
    expect(await refusal()).toBe('VERDICT_CAUTION')
    know({ verdict: 'avoid' })
    expect(await refusal()).toBe('VERDICT_AVOID')
    service.fault = (_, response) => Boolean(response.writeHead(500).end())
    expect(await refusal()).toBe('VERDICT_UNAVAILABLE')
  })

  test('error: refuses the call after two without delivery', async () => {
    seller.character = { onPaid: (_, response) => deliver(response, '') }
    const { pay, counter } = setUp()
    await pay(url)
    await pay(`${url}?2`)
    await expect(pay(`${url}?3`)).rejects.toMatchObject({ code: 'NO_DELIVERY_STRIKE' })
    expect(counter.signatures).toBe(2)
  })
})
