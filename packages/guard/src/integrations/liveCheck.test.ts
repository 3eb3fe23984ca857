import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { GuardEvent } from '../events.ts'
import { createMemoryLedger } from '../ledger/journal.ts'
import { paymentOf } from '../paymentOf.ts'
import { createCountingAccount, STOCK_CLIENTS } from '../testing/clients.ts'
import {
  type Character,
  challenge,
  deliver,
  HONEST,
  startSeller,
  type TestSeller,
  THIEF,
} from '../testing/seller.ts'
import { startService, type TestService, termOf } from '../testing/service.ts'
import type { CheckedVerdict } from '../types.ts'
import { createGuard, type GuardOptions, type ServiceOptions } from './createGuard.ts'

const SERVICE_RECEIVER = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
let service: TestService
let seller: TestSeller
let url: string
/** Price and result of the service's live check. */
let till: Character
let found: Partial<CheckedVerdict>
let checks: string[]

beforeAll(async () => {
  service = await startService()
  seller = await startSeller()
  url = `${seller.url}/weather`
  service.paid = async (request, response) => {
    const payment = request.headers['payment-signature']
    if (payment === undefined) return challenge(service.url, till, request, response)
    checks.push(String(payment))
    if (till.onPaid) return till.onPaid(request, response)
    const endpoint = new URL(request.url ?? '', service.url).searchParams.get('endpoint') ?? ''
    deliver(response, JSON.stringify({ ...(await service.answer(endpoint, found)), live: { probes: [] } }))
  }
})
afterAll(async () => {
  await service.stop()
  await seller.stop()
})
beforeEach(() => {
  till = { terms: [{ amount: '5000', payTo: SERVICE_RECEIVER }] }
  const terms = [termOf(HONEST, '50000')]
  found = { verdict: 'safe', receiverStability: 'new', probes: 2, terms }
  checks = []
  seller.payments.length = 0
  seller.character = { terms: [{ amount: '50000' }] }
})
afterEach(() => service.decisions.clear())

function setUp(options: GuardOptions = {}, more: Partial<ServiceOptions> = {}) {
  const { account, counter } = createCountingAccount()
  const events: GuardEvent[] = []
  const guard = createGuard({
    service: { url: service.url, ...more },
    account,
    onDecision: (event) => events.push(event),
    ...options,
  })
  const pay = STOCK_CLIENTS['@x402/fetch'](guard.fetch(), account)
  return { guard, pay, counter, events }
}

const codeOf = (call: Promise<Response>) =>
  call.then(
    ({ status }) => status,
    ({ code }) => code,
  )

describe('a live check', () => {
  test('default: buys a check for its price range, counts it and decides by it', async () => {
    const { pay, guard, counter, events } = setUp()
    expect(await codeOf(pay(url))).toBe(200)
    expect([counter.signatures, checks.length, seller.payments.length]).toEqual([2, 1, 1])
    expect(guard.ledger.totals().usdMicros).toBe(55_000n)
    expect(events.map(({ type }) => type)).toEqual(['settled', 'allowed', 'settled'])
    expect(guard.counters()).toMatchObject({
      allowed: 1,
      liveChecks: 1,
      paid: 2,
      settled: 2,
      spentUsd: '0.055',
    })
  })

  test('behavior: buys one check for many calls', async () => {
    const { pay } = setUp()
    await Promise.all(Array.from({ length: 5 }, (_, index) => pay(`${url}?${index}`)))
    expect([checks.length, seller.payments.length]).toEqual([1, 5])
  })

  test('behavior: buys no check below or above its price range', async () => {
    const { pay } = setUp()
    seller.character = { terms: [{ amount: '10000' }] }
    expect(await codeOf(pay(url))).toBe(200)
    seller.character = { terms: [{ amount: '100001' }] }
    expect(await codeOf(pay(url))).toBe('VERDICT_UNKNOWN')
    expect(checks).toEqual([])
  })

  test('behavior: the check itself is bought without the delivery or score that the policy asks of sellers', async () => {
    const delivery = { status: 'delivered' as const, month: '2026-06', paidUsd: 0.05, reason: null }
    found = { ...found, delivery, score: 95 }
    service.decisions.set(url, found)
    const { pay } = setUp({ policy: { requireDeliveryAboveUsd: '0.001', minScore: 50 } })
    expect(await codeOf(pay(url))).toBe(200)
    expect(checks).toHaveLength(1)
  })

  test('error: refuses by the verdict of the check', async () => {
    found = { ...found, verdict: 'avoid' }
    expect(await codeOf(setUp().pay(url))).toBe('VERDICT_AVOID')
    found = { ...found, verdict: 'safe', terms: [termOf(THIEF, '50000')] }
    expect(await codeOf(setUp().pay(url))).toBe('RECEIVER_NOT_CHECKED')
    found = { verdict: 'unknown' }
    expect(await codeOf(setUp().pay(url))).toBe('VERDICT_UNKNOWN')
    expect(seller.payments).toEqual([])
  })

  test.each<[string, Character, Partial<ServiceOptions>]>([
    ['a price above the limit', { terms: [{ amount: '10001', payTo: SERVICE_RECEIVER }] }, {}],
    [
      'a receiver that differs from the pinned one',
      { terms: [{ amount: '5000', payTo: THIEF }] },
      { payTo: SERVICE_RECEIVER },
    ],
    ['another network', { terms: [{ amount: '5000', network: 'eip155:84532' }] }, {}],
    ['no offers', { versions: [] }, {}],
  ])('error: does not pay the service for %s', async (_, character, more) => {
    till = character
    const { pay, counter, guard } = setUp({}, more)
    expect(await codeOf(pay(url))).toBe('VERDICT_UNKNOWN')
    expect([counter.signatures, checks.length]).toEqual([0, 0])
    expect(guard.ledger.totals().usdMicros).toBe(0n)
  })

  test('error: says what became of the check, and does not advise to give an account', async () => {
    till = { terms: [{ amount: '10001', payTo: SERVICE_RECEIVER }] }
    const error = await setUp()
      .pay(url)
      .catch((cause: unknown) => cause)
    expect(error).toMatchObject({
      code: 'VERDICT_UNKNOWN',
      details: expect.stringContaining(
        'A live check was tried: The price exceeds the limit of this call. $0.010001',
      ),
      remedy: 'Pay less at first, retry later, or use another seller.',
    })
    seller.character = { terms: [{ amount: '100001' }] }
    const untried = await setUp()
      .pay(url)
      .catch((cause: unknown) => cause)
    expect(untried).toMatchObject({
      code: 'VERDICT_UNKNOWN',
      details: 'To allow it: "onUnknown": {"allowUpToUsd": "0.100001", "maxPerDomainPerDayUsd": "0.100001"}',
    })
    expect((untried as { remedy: string }).remedy).toContain('giving the guard an account')
  })

  test('error: does not pay a changed receiver of the service', async () => {
    const { pay } = setUp({}, { cacheSeconds: 0 })
    expect(await codeOf(pay(url))).toBe(200)
    till = { terms: [{ amount: '5000', payTo: THIEF }] }
    expect(await codeOf(pay(`${seller.url}/other`))).toBe('VERDICT_UNKNOWN')
    expect(checks).toHaveLength(1)
  })

  test('error: buys no check above the budget', async () => {
    const { pay, counter } = setUp({ policy: { maxTotalUsd: '0.004' } })
    expect(await codeOf(pay(url))).toBe('OVER_TOTAL_LIMIT')
    expect(counter.signatures).toBe(0)
  })

  test('error: a task buys no check that it cannot pay beside the call, and no more than its budget', async () => {
    const { account } = createCountingAccount()
    found = { ...found, verdict: 'avoid' }
    const { guard } = setUp()
    const task = guard.agent('research', { maxUsd: '0.06' })
    const payTask = STOCK_CLIENTS['@x402/fetch'](task.fetch(), account)
    const codes: unknown[] = []
    for (let path = 0; path < 10; path++) codes.push(await codeOf(payTask(`${seller.url}/${path}`)))
    // A call costs $0.05 and its check $0.005, so the third check would leave no room for its call.
    expect(codes.filter((code) => code === 'VERDICT_AVOID')).toHaveLength(2)
    expect([checks.length, (await task.budget()).task?.spentUsd]).toEqual([2, '0.01'])
    expect(guard.ledger.summary(Date.now()).tasks.get('research')).toBe(10_000n)
    // The budget of one agent bars no check of another.
    const other = guard.agent('other', { maxUsd: '1.00' })
    expect(await codeOf(STOCK_CLIENTS['@x402/fetch'](other.fetch(), account)(`${seller.url}/9`))).toBe(
      'VERDICT_AVOID',
    )
    expect(checks).toHaveLength(3)
  })

  test('error: a call buys no check that its own limit does not hold', async () => {
    const { guard } = setUp()
    const { account } = createCountingAccount()
    const within = (maxUsd: string) => STOCK_CLIENTS['@x402/fetch'](guard.fetch(fetch, { maxUsd }), account)
    expect(await codeOf(within('0.0549')(url))).toBe('VERDICT_UNKNOWN')
    expect(checks).toEqual([])
    expect(await codeOf(within('0.055')(url))).toBe(200)
  })

  test('error: a call that lost a race pays no more than its limit, the check included', async () => {
    const ledger = createMemoryLedger()
    let races = 1
    let most: bigint | null = null
    const { guard } = setUp({
      ledger: {
        ...ledger,
        // As where an equal call was approved in between, and has ended.
        reserve: async (request, limits) => {
          if (request.host !== new URL(seller.url).host) return ledger.reserve(request, limits)
          most = limits.perCall
          return races-- > 0 ? { ok: false, code: 'PAYMENT_PENDING' } : ledger.reserve(request, limits)
        },
      },
    })
    const { account } = createCountingAccount()
    const pay = STOCK_CLIENTS['@x402/fetch'](guard.fetch(fetch, { maxUsd: '0.055' }), account)
    expect(await codeOf(pay(url))).toBe(200)
    // The limit of the reservation that held.
    expect(most).toBe(50_000n)
    expect(ledger.totals().usdMicros).toBe(55_000n)
  })

  test('error: the refusal of a call says what its check has cost', async () => {
    found = { ...found, verdict: 'avoid' }
    const error = await setUp()
      .pay(url)
      .catch((cause: unknown) => cause)
    expect(error).toMatchObject({
      code: 'VERDICT_AVOID',
      message: expect.stringContaining('A live check was bought for $0.005. Nothing else was signed.'),
      liveCheck: { amountUsd: '0.005', state: 'settled', to: SERVICE_RECEIVER },
    })
  })

  test('behavior: the answer to a call names the check that it has bought', async () => {
    const { pay } = setUp()
    const [first, second] = [await pay(url), await pay(`${url}?2`)]
    expect(paymentOf(first)).toMatchObject({
      liveCheck: { amountUsd: '0.005' },
      intent: { amountUsd: '0.05' },
    })
    expect(paymentOf(second)?.liveCheck).toBeUndefined()
  })

  test('error: counts a paid check without delivery as spent', async () => {
    till = { ...till, onPaid: (_, response) => void response.writeHead(500).end() }
    const { pay, guard } = setUp()
    expect(await codeOf(pay(url))).toBe('VERDICT_UNKNOWN')
    expect(guard.ledger.totals().usdMicros).toBe(5000n)
    expect(seller.payments).toEqual([])
  })
})
