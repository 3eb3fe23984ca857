import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { isGuardError } from '../errors.ts'
import { createCountingAccount } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { createGuard } from './createGuard.ts'

const h = useHarness('@x402/fetch')
afterEach(() => void vi.useRealTimers())

/** Pays for the owner (null) or an agent. The first call is aborted once its payment is signed, before it is sent. */
function setUp(agent: string | null) {
  h.know()
  vi.useFakeTimers({ toFake: ['Date'] })
  const { account, counter } = createCountingAccount()
  const root = createGuard({ service: { url: h.service.url }, now: () => Date.now() })
  const guard = agent === null ? root : root.agent(agent, { maxUsd: '0.05' })
  const patience = new AbortController()
  const client = registerExactEvmScheme(new x402Client(), { signer: guard.account(account) as never })
  client.onAfterPaymentCreation(async () => patience.abort())
  const pay = wrapFetchWithPayment(guard.fetch() as typeof fetch, client)
  const url = `${h.seller.url}/weather`
  const abort = async () => {
    await expect(pay(url, { signal: patience.signal })).rejects.toMatchObject({ name: 'AbortError' })
    expect([counter.signatures, h.seller.payments]).toEqual([1, []])
  }
  const repeat = (query = '') =>
    pay(`${url}${query}`).then(
      ({ status }) => status,
      (error: unknown) => (isGuardError(error) ? error.code : String(error)),
    )
  const later = (seconds: number) => {
    vi.setSystemTime(Date.now() + seconds * 1000)
    // The service signs its verdicts by the same clock.
    h.know()
  }
  const spent = async () => {
    const { day } = await root.budget()
    return `${day.spentUsd} + ${day.reservedUsd}`
  }
  return { guard, counter, abort, repeat, later, spent }
}

describe.each(['research', null])(
  'a call that is aborted between signature and sending (agent: %s)',
  (agent) => {
    test('behavior: a repeat sends the same payment', async () => {
      const { abort, repeat, counter, spent } = setUp(agent)
      await abort()
      expect(await spent()).toBe('0 + 0.01')
      expect(await repeat()).toBe(200)
      expect([counter.signatures, h.seller.payments.length, await spent()]).toEqual([1, 1, '0.01 + 0'])
    })

    test('behavior: the amount is held until its authorization has ended for certain', async () => {
      const { guard, abort, repeat, later, spent } = setUp(agent)
      await abort()
      later(60)
      expect(await spent()).toBe('0 + 0.01')
      later(60)
      expect(await repeat()).toBe('PAYMENT_UNRESOLVED')
      later(600)
      expect(guard.ledger.pending()).toMatchObject([{ state: 'handedOut', agent }])
      // The call is judged anew.
      expect(await repeat()).toBe(200)
      expect(await spent()).toBe(agent === null ? '0.01 + 0' : '0.01 + 0.01')
      expect(guard.ledger.pending()).toHaveLength(agent === null ? 0 : 1)
    })
  },
)
