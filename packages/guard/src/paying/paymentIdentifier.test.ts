import { decodeBase64Json } from '@touchstone402/shared'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import {
  appendPaymentIdentifierToExtensions,
  declarePaymentIdentifierExtension,
  extractAndValidatePaymentIdentifier,
  PAYMENT_IDENTIFIER,
  paymentIdentifierResourceServerExtension,
} from '@x402/extensions/payment-identifier'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGuard } from '../integrations/createGuard.ts'
import { createGuardedFetch } from '../integrations/createGuardedFetch.ts'
import { createCountingAccount } from '../testing/clients.ts'
import { type StockSeller, startStockSeller } from '../testing/stockSeller.ts'

let seller: StockSeller
beforeEach(async () => {
  seller = await startStockSeller({
    declared: { [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension(true) },
    createExtensions: () => [paymentIdentifierResourceServerExtension],
  })
})
afterEach(() => seller.stop())

const { account } = createCountingAccount()

/** The stock client, which names each payment as the documentation of the extension describes. */
function createStockFetch() {
  const client = registerExactEvmScheme(new x402Client(), { signer: account })
  client.onBeforePaymentCreation(async ({ paymentRequired }) => {
    appendPaymentIdentifierToExtensions(paymentRequired.extensions ?? {})
  })
  return wrapFetchWithPayment(createGuard().fetch() as typeof fetch, client)
}

const CLIENTS = { stock: createStockFetch, guarded: () => createGuardedFetch({ account }) }

const ids = () =>
  seller.payments.map((header) => {
    const { id, validation } = extractAndValidatePaymentIdentifier(decodeBase64Json(header) as never)
    expect(validation.valid).toBe(true)
    return id
  })

test.each(Object.entries(CLIENTS))('default: the %s client names its payment', async (_, create) => {
  expect((await create()(`${seller.url}/weather`)).status).toBe(200)
  expect(ids()).toEqual([expect.stringMatching(/^pay_/)])
})

test.each(Object.entries(CLIENTS))('behavior: a re-send by the %s client has the name', async (_, create) => {
  const pay = create()
  seller.settle = () => ({ success: false, errorReason: 'unexpected_settle_error' })
  await expect(pay(`${seller.url}/weather`)).rejects.toMatchObject({ code: 'PAYMENT_NOT_ACCEPTED' })
  seller.settle = () => ({})
  expect((await pay(`${seller.url}/weather`)).status).toBe(200)
  // Byte for byte.
  expect([seller.payments.length, new Set(seller.payments).size]).toEqual([2, 1])
  expect(new Set(ids()).size).toBe(1)
})

test.each(Object.entries(CLIENTS))(
  'behavior: other calls of the %s client have other names',
  async (_, create) => {
    const pay = create()
    seller.settle = () => ({ success: false, errorReason: 'unexpected_settle_error' })
    await expect(pay(`${seller.url}/weather`)).rejects.toMatchObject({ code: 'PAYMENT_NOT_ACCEPTED' })
    seller.settle = () => ({})
    // Another query, another path, and the call again once it is answered.
    for (const path of ['/weather?day=2', '/other', '/weather', '/weather'])
      expect((await pay(seller.url + path)).status).toBe(200)
    const [first, second, third, again, last] = ids()
    expect(again).toBe(first)
    expect(new Set([first, second, third, last]).size).toBe(4)
  },
)
