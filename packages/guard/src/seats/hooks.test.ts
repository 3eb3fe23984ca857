import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client, x402HTTPClient } from '@x402/fetch'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PaymentBlockedError } from '../errors.ts'
import { createCountingAccount } from '../testing/clients.ts'
import { HONEST, startSeller, type TestSeller, THIEF } from '../testing/seller.ts'
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
    const pay = wrapFetchWithPayment(fetch, guard.hooks(client, { url }))
    expect((await pay(url)).status).toBe(200)
    expect(counter.signatures).toBe(1)
    expect(guard.ledger.totals().usdMicros).toBe(10_000n)
  })

  test('behavior: judges v1 challenges', async () => {
    seller.character = { versions: [1] }
    const { guard, client } = setUp()
    let called = url
    const pay = wrapFetchWithPayment(
      fetch,
      guard.hooks(client, () => ({ url: called })),
    )
    expect((await pay(url)).status).toBe(200)
    called = `${url}?2`
    seller.character = { versions: [1], terms: [{ payTo: THIEF }] }
    await expect(pay(called)).rejects.toThrow('The offered receiver is not the checked one.')
  })

  test('behavior: asks, signs and counts once if all seats are combined', async () => {
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
    const pay = wrapFetchWithPayment(fetch, guard.hooks(client, { url }))
    await expect(pay(url)).rejects.toThrow('The offered receiver is not the checked one.')
    expect(counter.signatures).toBe(0)
    expect(guard.ledger.totals().usdMicros).toBe(0n)
  })

  test('error: a refusal reaches the caller of the stock client with its class', async () => {
    seller.character = { terms: [{ payTo: THIEF }] }
    const { guard, client, counter } = setUp()
    const http = new x402HTTPClient(client)
    guard.hooks(client, http)
    const refused = await wrapFetchWithPayment(fetch, http)(url).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(PaymentBlockedError)
    expect(refused).toMatchObject({ code: 'RECEIVER_NOT_CHECKED', intent: { payTo: THIEF } })
    expect(counter.signatures).toBe(0)
  })

  test('behavior: pays the cheapest acceptable entry of a 402 over HTTP', async () => {
    seller.character = { terms: [{ amount: '90000' }, {}] }
    const { guard, client } = setUp()
    const http = new x402HTTPClient(client)
    guard.hooks(client, http)
    expect((await wrapFetchWithPayment(fetch, http)(url)).status).toBe(200)
    expect(guard.ledger.totals().usdMicros).toBe(10_000n)
  })

  test('error: keeps later hooks from changing the approved terms', async () => {
    const { guard, client, counter } = setUp()
    guard.hooks(client, { url })
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
    const pay = wrapFetchWithPayment(fetch, guard.hooks(schemes, { url }))
    await expect(pay(url)).rejects.toThrow('The terms of the payment differ from the approved ones.')
    expect(seller.payments).toEqual([])
    expect(guard.counters()).toMatchObject({ refused: { OFFER_CHANGED: 1 }, paid: 0 })
    expect(client).toBeDefined()
  })
})
