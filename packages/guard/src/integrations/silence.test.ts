import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client, x402HTTPClient } from '@x402/fetch'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isGuardError } from '../errors.ts'
import { createCountingAccount } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'

const harness = useHarness('@x402/fetch')

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

/** Lets open approvals and authorizations expire. */
const later = () => void vi.setSystemTime(Date.now() + 150_000)

/** Pays with an integration that does not see the whole exchange, against a seller that breaks off after the payment. */
function setUp(integration: 'account' | 'hooks') {
  harness.know()
  harness.seller.character = { onPaid: (_, response) => void response.destroy() }
  const { guard } = harness.setUp()
  const ids: string[] = []
  const { account, counter } = createCountingAccount()
  const signer = integration === 'account' ? guard.account(account) : account
  const inner = registerExactEvmScheme(new x402Client(), { signer: signer as never })
  const client = new x402HTTPClient(inner)
  let named = { url: '', method: 'GET' }
  if (integration === 'hooks') guard.hooks(inner, () => named)
  const http = wrapFetchWithPayment(fetch, client)
  const pay = async (path: string): Promise<string> => {
    const url = `${harness.seller.url}${path}`
    named = { url, method: 'GET' }
    try {
      if (integration === 'hooks') return String((await http(url)).status)
      const first = await fetch(url)
      const { header, paymentId } = await guard.approve({
        url,
        headers: first.headers,
        body: await first.text(),
      })
      ids.push(paymentId)
      const payload = await client.createPaymentPayload(client.getPaymentRequiredResponse(() => header))
      return String((await fetch(url, { headers: client.encodePaymentSignatureHeader(payload) })).status)
    } catch (error) {
      if (isGuardError(error)) return error.code
      // The library wraps errors of hooks by their text.
      return (integration === 'hooks' && Object.keys(guard.counters().refused)[0]) || 'broken off'
    }
  }
  return { guard, pay, counter, ids }
}

test.each(['account', 'hooks'] as const)(
  'behavior: two signed calls in a row without an answer are a strike in the %s integration',
  async (integration) => {
    const { guard, pay, counter } = setUp(integration)
    expect(await pay('/weather?1')).toBe('broken off')
    later()
    expect(await pay('/weather?2')).toBe('broken off')
    expect(await guard.strikes()).toEqual([])
    later()
    expect(await pay('/weather?3')).toBe('NO_DELIVERY_STRIKE')
    expect(await guard.strikes()).toMatchObject([{ at: [expect.any(Number)] }])
    expect(counter.signatures).toBe(2)
  },
)

test('behavior: a fresh 402 for a signed call is a fault, once for each payment', async () => {
  const { guard, pay } = setUp('account')
  expect(await pay('/weather?1')).toBe('broken off')
  expect(await pay('/weather?1')).toBe('PAYMENT_PENDING')
  expect(await pay('/weather?1')).toBe('PAYMENT_PENDING')
  expect(await guard.strikes()).toEqual([])
  expect(await pay('/weather?2')).toBe('broken off')
  expect(await pay('/weather?2')).toBe('PAYMENT_PENDING')
  expect(await guard.strikes()).toMatchObject([{ at: [expect.any(Number)] }])
  later()
  expect(await pay('/weather?3')).toBe('NO_DELIVERY_STRIKE')
})

test('behavior: a reported answer is no silence', async () => {
  const { guard, pay, ids } = setUp('account')
  for (const path of ['/weather?1', '/weather?2']) {
    await pay(path)
    await guard.report(ids.at(-1) ?? '', { status: 200, headers: {}, body: '{"weather":"sunny"}' })
    later()
  }
  expect(await pay('/weather?3')).toBe('broken off')
  expect(await guard.strikes()).toEqual([])
})
