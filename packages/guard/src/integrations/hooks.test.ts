import type { ServerResponse } from 'node:http'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client, x402HTTPClient } from '@x402/fetch'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PaymentBlockedError } from '../errors.ts'
import { createCountingAccount } from '../testing/clients.ts'
import { deliver, HONEST, startSeller, type TestSeller, THIEF } from '../testing/seller.ts'
import { startService, type TestService, termOf } from '../testing/service.ts'
import { createGuard, type GuardOptions } from './createGuard.ts'

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
  const terms = [termOf(HONEST, '10000')]
  service.decisions.set(url, { verdict: 'safe', receiverStability: 'stable', probes: 9, terms })
})

function setUp(options: GuardOptions = {}) {
  const { account, counter } = createCountingAccount()
  const guard = createGuard({ service: { url: service.url }, ...options })
  const client = registerExactEvmScheme(new x402Client(), { signer: account })
  return { guard, counter, account, client }
}

describe('guard.hooks', () => {
  test('default: pays the approved terms over any transport', async () => {
    const { guard, client, counter } = setUp()
    const pay = wrapFetchWithPayment(fetch, guard.hooks(client, { url, method: 'GET' }))
    expect((await pay(url)).status).toBe(200)
    expect(counter.signatures).toBe(1)
    expect(guard.ledger.totals().usdMicros).toBe(10_000n)
  })

  test('behavior: a JSON-RPC request whose bytes were named is paid for in its body, by any id', async () => {
    const place = { url: `${seller.url}/rpc`, method: 'POST' }
    const terms = [termOf(HONEST, '10000', { method: 'POST' })]
    const safe = { verdict: 'safe', receiverStability: 'stable', probes: 9, terms } as const
    service.decisions.set(place.url, safe)
    const { guard, client } = setUp()
    const rpc = (id: number, meta = {}) =>
      JSON.stringify({ jsonrpc: '2.0', id, method: 'buy', params: { _meta: meta } })
    const headers = { 'content-type': 'application/json' }
    const challenged = await fetch(place.url, { method: 'POST', headers, body: rpc(1) })
    const http = new x402HTTPClient(client)
    const required = http.getPaymentRequiredResponse((name) => challenged.headers.get(name))
    const body = new TextEncoder().encode(rpc(1))
    const hooked = guard.hooks(client, { ...place, body }) as x402Client
    const payment = await hooked.createPaymentPayload(required)
    let arrived = ''
    seller.character.before = (request, response) => {
      request.on('data', (chunk) => {
        arrived += chunk
      })
      request.on('end', () => deliver(response))
      return true
    }
    const paid = rpc(2, { 'x402/payment': payment })
    expect((await guard.fetch()(place.url, { method: 'POST', headers, body: paid })).status).toBe(200)
    expect(arrived).toBe(paid)
  })

  test('behavior: judges v1 challenges', async () => {
    seller.character = { versions: [1] }
    const { guard, client } = setUp()
    let called = url
    const pay = wrapFetchWithPayment(
      fetch,
      guard.hooks(client, () => ({ url: called, method: 'GET' })),
    )
    expect((await pay(url)).status).toBe(200)
    called = `${url}?2`
    seller.character = { versions: [1], terms: [{ payTo: THIEF }] }
    await expect(pay(called)).rejects.toThrow('The offered receiver is not the checked one.')
  })

  test('behavior: asks, signs and counts once if all integrations are combined', async () => {
    service.decisions.set(url, { verdict: 'caution', probes: 9, terms: [termOf(HONEST, '10000')] })
    let questions = 0
    const { account, counter } = createCountingAccount()
    const guard = createGuard({ service: { url: service.url }, ask: () => ++questions > 0 })
    const client = registerExactEvmScheme(new x402Client(), { signer: guard.account(account) })
    const pay = wrapFetchWithPayment(guard.fetch() as typeof fetch, guard.hooks(client))
    expect((await pay(url)).status).toBe(200)
    expect([questions, counter.signatures, seller.payments.length]).toEqual([1, 1, 1])
    expect(guard.ledger.totals().usdMicros).toBe(10_000n)
    const outcomes = await Promise.all(
      Array.from({ length: 15 }, (_, number) => pay(`${url}?${number}`).then(({ status }) => status)),
    )
    expect(new Set(outcomes)).toEqual(new Set([200]))
    expect([questions, counter.signatures, seller.payments.length]).toEqual([16, 16, 16])
    expect(guard.ledger.totals().usdMicros).toBe(160_000n)
  })

  test('error: refuses a changed receiver before anything is signed', async () => {
    seller.character = { terms: [{ payTo: THIEF }] }
    const { guard, client, counter } = setUp()
    const pay = wrapFetchWithPayment(fetch, guard.hooks(client, { url, method: 'GET' }))
    await expect(pay(url)).rejects.toThrow('The offered receiver is not the checked one.')
    expect(counter.signatures).toBe(0)
    expect(guard.ledger.totals().usdMicros).toBe(0n)
  })

  test('error: a refusal reaches the caller of the stock client with its class', async () => {
    seller.character = { terms: [{ payTo: THIEF }] }
    const { guard, client, counter } = setUp()
    const pay = wrapFetchWithPayment(guard.fetch() as typeof fetch, guard.hooks(client))
    const refused = await pay(url).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(PaymentBlockedError)
    expect(refused).toMatchObject({ code: 'RECEIVER_NOT_CHECKED', intent: { payTo: THIEF } })
    expect(counter.signatures).toBe(0)
  })

  test('error: keeps later hooks from changing the approved terms', async () => {
    const { guard, client, counter } = setUp()
    guard.hooks(client, { url, method: 'GET' })
    client.onBeforePaymentCreation(async ({ selectedRequirements }) => {
      selectedRequirements.payTo = THIEF
    })
    await expect(wrapFetchWithPayment(fetch, client)(url)).rejects.toThrow('read only')
    expect(counter.signatures).toBe(0)
    expect(seller.payments).toEqual([])
  })

  test('error: refuses a payload that differs from the approval', async () => {
    const { guard, client, account } = setUp()
    const thief = registerExactEvmScheme(new x402Client(), { signer: account })
    const schemes = new x402Client()
    schemes.register('eip155:*', {
      scheme: 'exact',
      createPaymentPayload: async (version, requirements) => {
        const accepts = [{ ...requirements, payTo: THIEF }]
        const resource = { url, description: '', mimeType: '' }
        const { payload } = await thief.createPaymentPayload({ x402Version: version, accepts, resource })
        return { x402Version: version, payload }
      },
    })
    schemes.setSpendControls(false)
    const pay = wrapFetchWithPayment(fetch, guard.hooks(schemes, { url, method: 'GET' }))
    await expect(pay(url)).rejects.toThrow('The terms of the payment differ from the approved ones.')
    expect(seller.payments).toEqual([])
    expect(guard.counters()).toMatchObject({ refused: { OFFER_CHANGED: 1 }, paid: 0 })
    expect(client).toBeDefined()
  })

  test('error: an x402HTTPClient is no source, since it names neither method nor body', () => {
    const { guard, client } = setUp()
    expect(() => guard.hooks(client, new x402HTTPClient(client) as never)).toThrow('guard.fetch')
    expect(() => guard.hooks(client, { url } as never)).toThrow('method: expected a text')
  })

  test('error: a term that was measured for GET does not vouch for a POST', async () => {
    seller.character = { terms: [{ amount: '500000' }] }
    const terms = [termOf(HONEST, '500000')]
    service.decisions.set(url, { verdict: 'safe', receiverStability: 'stable', probes: 9, terms })
    const { guard, client, counter, account } = setUp()
    const below = wrapFetchWithPayment(guard.fetch() as typeof fetch, guard.hooks(client))
    const named = registerExactEvmScheme(new x402Client(), { signer: account })
    const beside = wrapFetchWithPayment(fetch, guard.hooks(named, { url, method: 'post' }))
    for (const pay of [below, beside]) {
      await expect(pay(url, { method: 'POST' })).rejects.toThrow('The verdict rests on little evidence')
    }
    expect(counter.signatures).toBe(0)
    expect((await below(url)).status).toBe(200)
  })

  test('error: follows no redirect to another origin, before the payment or after it', async () => {
    const thief = await startSeller({ terms: [{ payTo: THIEF }] })
    const move = (response: ServerResponse) =>
      void response.writeHead(307, { location: `${thief.url}/weather` }).end()
    const { guard, client, counter } = setUp()
    const pay = wrapFetchWithPayment(guard.fetch() as typeof fetch, guard.hooks(client))
    seller.character = { before: (_, response) => move(response) === undefined }
    await expect(pay(url)).rejects.toMatchObject({ code: 'REDIRECT_REFUSED' })
    expect(counter.signatures).toBe(0)
    seller.character = { onPaid: (_, response) => move(response) }
    await expect(pay(url)).rejects.toMatchObject({ code: 'REDIRECT_AFTER_PAYMENT' })
    expect(thief.payments).toEqual([])
    await thief.stop()
  })

  /** Pays calls that are named, each by a client of its own over a bare fetch. */
  function payNamed(options: GuardOptions = {}) {
    const terms = [termOf(HONEST, '10000', { method: 'POST' })]
    service.decisions.set(url, { verdict: 'safe', receiverStability: 'stable', probes: 9, terms })
    const { guard, account, counter } = setUp(options)
    const post = (body: string, callKey = '') => {
      const client = registerExactEvmScheme(new x402Client(), { signer: account })
      const call = { url, method: 'POST', body, ...(callKey && { callKey }) }
      return wrapFetchWithPayment(fetch, guard.hooks(client, call))(url, { method: 'POST', body })
        .then(({ status }) => status)
        .catch(() => 'failed')
    }
    return { guard, counter, post }
  }

  test('behavior: the payment of a failed POST goes out with an equal one again, not with another', async () => {
    const { post, counter } = payNamed()
    seller.character = { onPaid: (_, response) => void response.destroy() }
    expect(await post('A')).toBe('failed')
    seller.character = {}
    expect(await post('B')).toBe(200)
    expect([counter.signatures, new Set(seller.payments).size]).toEqual([2, 2])
    expect(await post('A')).toBe(200)
    expect([counter.signatures, new Set(seller.payments).size, seller.payments.length]).toEqual([2, 2, 3])
    expect(await post('A')).toBe(200)
    expect(counter.signatures).toBe(3)
  })

  test('behavior: three different POSTs at once are three calls', async () => {
    const { post, counter, guard } = payNamed()
    expect(await Promise.all([post('A'), post('B'), post('C')])).toEqual([200, 200, 200])
    const { account } = setUp()
    const below = wrapFetchWithPayment(
      guard.fetch() as typeof fetch,
      guard.hooks(registerExactEvmScheme(new x402Client(), { signer: account })),
    )
    const bodies = ['D', 'E', 'F'].map((body) => below(url, { method: 'POST', body }))
    expect((await Promise.all(bodies)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect([counter.signatures, new Set(seller.payments).size]).toEqual([3, 6])
    expect(guard.ledger.totals().usdMicros).toBe(60_000n)
    expect(guard.ledger.pending().filter(({ answered }) => !answered)).toEqual([])
  })

  test('behavior: equal calls that overlap are paid once, and all are answered', async () => {
    const { post, counter, guard } = payNamed()
    expect(await Promise.all([post('A'), post('A'), post('A')])).toEqual([200, 200, 200])
    expect([counter.signatures, new Set(seller.payments).size]).toEqual([1, 1])
    expect(guard.ledger.totals().usdMicros).toBe(10_000n)
  })

  test('behavior: a call is paid once a key', async () => {
    const { post, counter } = payNamed()
    seller.character = { onPaid: (_, response) => void response.destroy() }
    for (const key of ['1', '1', '2', '2']) expect(await post('A', key)).toBe('failed')
    expect([counter.signatures, new Set(seller.payments).size, seller.payments.length]).toEqual([2, 2, 4])
  })

  test('behavior: a wallet that rejects has signed nothing, so the next call is judged again', async () => {
    const { guard, client, counter } = setUp()
    let isWilling = false
    client.register('eip155:*', {
      scheme: 'exact',
      createPaymentPayload: async (version, requirements) => {
        if (!isWilling) throw new Error('the user said no')
        const wallet = registerExactEvmScheme(new x402Client(), { signer: setUp().account })
        const resource = { url, description: '', mimeType: '' }
        const { payload } = await wallet.createPaymentPayload({
          x402Version: version,
          accepts: [requirements],
          resource,
        })
        return { x402Version: version, payload }
      },
    })
    const pay = wrapFetchWithPayment(
      fetch,
      guard.hooks(client.setSpendControls(false), { url, method: 'GET' }),
    )
    await expect(pay(url)).rejects.toThrow('the user said no')
    expect([guard.ledger.totals().usdMicros, guard.ledger.pending()]).toEqual([0n, []])
    isWilling = true
    expect((await pay(url)).status).toBe(200)
    expect(counter.signatures).toBe(0)
  })

  test('behavior: a report after the receipt is taken, and empty deliveries are a strike', async () => {
    const { guard, post, counter } = payNamed()
    let paymentId = ''
    seller.character = {
      onPaid(_, response) {
        paymentId = guard.ledger.pending()[0]?.id ?? ''
        deliver(response, '')
      },
    }
    for (const body of ['A', 'B']) {
      expect(await post(body)).toBe(200)
      expect(guard.ledger.find(paymentId)).toMatchObject({ state: 'settled', answered: true })
      await guard.report(paymentId, { status: 200, headers: {}, body: '' })
      expect(guard.ledger.find(paymentId)).toMatchObject({ state: 'settled', delivered: false })
    }
    expect(await guard.strikes()).toMatchObject([{ endpoint: url }])
    expect(await post('C')).toBe('failed')
    expect([counter.signatures, guard.counters().refused]).toEqual([2, { NO_DELIVERY_STRIKE: 1 }])
  })
})
