import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { isGuardError } from '../errors.ts'
import type { GuardEvent } from '../events.ts'
import { createGuard, type GuardOptions } from '../integrations/createGuard.ts'
import type { CheckedVerdict } from '../types.ts'
import { type ClientName, createCountingAccount, STOCK_CLIENTS } from './clients.ts'
import { type Character, HONEST, startSeller, type TestSeller } from './seller.ts'
import { startService, type TestService, termOf } from './service.ts'

const SAFE: Partial<CheckedVerdict> = {
  verdict: 'safe',
  score: 95,
  receiverStability: 'stable',
  probes: 12,
  terms: [termOf(HONEST, '10000')],
}

/** A service, a seller, a counting wallet, and a guarded stock client; new for each test. */
export type Harness = {
  readonly service: TestService
  readonly seller: TestSeller
  readonly events: GuardEvent[]
  /** Adds a verdict for an endpoint of the seller, safe by default. */
  know(change?: Partial<CheckedVerdict>, path?: string): void
  setUp(options?: GuardOptions): {
    guard: ReturnType<typeof createGuard>
    pay: ReturnType<(typeof STOCK_CLIENTS)[ClientName]>
    counter: { signatures: number }
  }
  /** Returns the code of a refusal after checking that nothing was signed, sent or counted. */
  refusal(options?: GuardOptions, path?: string, init?: RequestInit): Promise<unknown>
  /** Returns the code with which a seller is refused. */
  refused(character: Character, options?: GuardOptions): Promise<unknown>
}

/** Registers set-up and tear-down hooks. */
export function useHarness(name: ClientName): Harness {
  let service: TestService
  let seller: TestSeller
  let events: GuardEvent[]
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    seller = await startSeller()
    service.decisions.clear()
    service.asked.length = 0
    service.fault = null
    events = []
  })
  afterEach(() => seller.stop())

  const harness: Harness = {
    get service() {
      return service
    },
    get seller() {
      return seller
    },
    get events() {
      return events
    },
    know(change = {}, path = '/weather') {
      service.decisions.set(seller.url + path, { ...SAFE, ...change })
    },
    setUp(options = {}) {
      const { account, counter } = createCountingAccount()
      const guard = createGuard({
        service: { url: service.url },
        onDecision: (event) => events.push(event),
        ...options,
      })
      return { guard, counter, pay: STOCK_CLIENTS[name](guard.fetch(), account) }
    },
    async refusal(options = {}, path = '/weather', init = undefined) {
      const { pay, counter, guard } = harness.setUp(options)
      const outcome = await pay(seller.url + path, init).then(
        (response) => `paid: ${response.status}`,
        (error: unknown) => (isGuardError(error) ? error.code : error),
      )
      expect(counter.signatures).toBe(0)
      expect(seller.payments).toEqual([])
      expect(guard.ledger.totals().usdMicros).toBe(0n)
      return outcome
    },
    refused(character, options = {}) {
      seller.character = character
      return harness.refusal(options)
    },
  }
  return harness
}
