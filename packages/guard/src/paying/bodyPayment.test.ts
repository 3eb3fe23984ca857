import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client, x402HTTPClient } from '@x402/fetch'
import { expect, test } from 'vitest'
import { createCountingAccount } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'

const harness = useHarness('@x402/fetch')

test('behavior: a payment in a JSON-RPC request leaves if it was approved, and no other does', async () => {
  harness.know()
  const { guard } = harness.setUp()
  const { account } = createCountingAccount()
  const url = `${harness.seller.url}/weather`
  const asked = await fetch(url)
  const body = await asked.text()
  const { header } = await guard.approve({ url, method: 'POST', headers: asked.headers, body })
  const sign = (signer: unknown) => {
    const client = new x402HTTPClient(registerExactEvmScheme(new x402Client(), { signer: signer as never }))
    return client.createPaymentPayload(client.getPaymentRequiredResponse(() => header))
  }
  harness.seller.character = { before: (_, response) => Boolean(response.end('sunny')) }
  const call = (payment: unknown, _meta: object = { 'x402/payment': payment }) => {
    const params = { name: 'weather', _meta }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    return guard.fetch()(url, { method: 'POST', body })
  }
  const approved = await sign(guard.account(account))
  expect(await (await call(approved)).text()).toBe('sunny')
  const [entry] = guard.ledger.pending()
  await guard.ledger.update(entry?.id ?? '', { state: 'settled', by: 'seller', transaction: null })
  expect(await (await call(approved)).text()).toBe('sunny')
  // The draft of a later transport puts the payload into a member.
  for (const draft of [{ paymentPayload: approved }, approved])
    expect(await (await call(null, { 'org.x402/payment': draft })).text()).toBe('sunny')
  for (const draft of [{ paymentPayload: approved, second: {} }, { paymentPayload: {} }, null])
    await expect(call(null, { 'org.x402/payment': draft })).rejects.toMatchObject({
      code: 'CREDENTIAL_NOT_READ',
    })
  const { payload } = approved
  const authorization = { ...(payload.authorization as object), value: '20000' }
  const changed = { ...approved, payload: { ...payload, authorization } }
  for (const payment of [await sign(account), changed, {}])
    await expect(call(payment)).rejects.toMatchObject({
      code: 'CREDENTIAL_NOT_READ',
      details: expect.stringContaining('has not approved'),
    })
})
