import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client, x402HTTPClient } from '@x402/fetch'
import { describe, expect, test } from 'vitest'
import { createCountingAccount } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'

const harness = useHarness('@x402/fetch')

/** A client with its own transport: approves a 402, signs with the guarded account, and sends the payment itself. */
function setUp() {
  harness.know()
  const { guard } = harness.setUp()
  const { account, counter } = createCountingAccount()
  const client = new x402HTTPClient(
    registerExactEvmScheme(new x402Client(), { signer: guard.account(account) as never }),
  )
  const url = `${harness.seller.url}/weather`
  const pay = async () => {
    const first = await fetch(url)
    const { header, paymentId } = await guard.approve({
      url,
      headers: first.headers,
      body: await first.text(),
    })
    const payload = await client.createPaymentPayload(client.getPaymentRequiredResponse(() => header))
    const response = await fetch(url, {
      headers: client.encodePaymentSignatureHeader(payload),
      redirect: 'manual',
    })
    const { status, headers } = response
    return { paymentId, answer: { status, headers, body: await response.text() } }
  }
  return { guard, counter, url, pay }
}

describe('guard.report', () => {
  test('default: records the settlement and ends the retries of a payment of the account integration', async () => {
    const { guard, pay, counter } = setUp()
    const { paymentId, answer } = await pay()
    await expect(pay()).rejects.toMatchObject({ code: 'PAYMENT_PENDING', paymentId })
    await guard.report(paymentId, answer)
    expect(guard.ledger.find(paymentId)).toMatchObject({
      state: 'settled',
      delivered: true,
      answered: true,
      known: { by: 'seller', transaction: `0x${'ab'.repeat(32)}` },
    })
    expect(await guard.strikes()).toEqual([])
    await pay()
    expect(counter.signatures).toBe(2)
  })

  test('behavior: counts an answer without content, and no answer at all, as a strike', async () => {
    const { guard, pay, url } = setUp()
    const { paymentId } = await pay()
    await guard.report(paymentId, null)
    expect(await guard.strikes()).toMatchObject([{ endpoint: url }])
    await expect(pay()).rejects.toMatchObject({ code: 'PAYMENT_PENDING' })
    await guard.report(paymentId, { status: 200, headers: {}, body: { late: true } })
    expect(await guard.strikes()).toEqual([])
  })

  test('error: throws as guard.fetch does after a redirect or another 402', async () => {
    const { guard, pay } = setUp()
    const { paymentId } = await pay()
    const again = guard.report(paymentId, { status: 402, headers: {}, body: '{}' })
    await expect(again).rejects.toMatchObject({ code: 'PAYMENT_NOT_ACCEPTED', moneyMayHaveLeft: true })
    const moved = guard.report(paymentId, { status: 307, headers: { location: '/elsewhere' } })
    await expect(moved).rejects.toMatchObject({ code: 'REDIRECT_AFTER_PAYMENT', paymentId })
  })

  test('error: refuses unknown payments and answers that no server sends', async () => {
    const { guard, pay } = setUp()
    await expect(guard.report('none', null)).rejects.toThrow('report: no payment none')
    const { paymentId, answer } = await pay()
    const wrong = guard.report(paymentId, { status: 99, headers: {} })
    await expect(wrong).rejects.toThrow('report: expected a status from 200 to 599')
    await guard.report(paymentId, answer)
    // The answer of a payment whose receipt was seen before.
    await guard.report(paymentId, answer)
  })
})
