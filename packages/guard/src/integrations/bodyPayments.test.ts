import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryLedger } from '../ledger/journal.ts'
import { createCountingAccount } from '../testing/clients.ts'
import { messageOf, nonceOf, paymentOf, typedDataOf } from '../testing/remoteSigner.ts'
import { startSeller, type TestSeller } from '../testing/seller.ts'
import { createGuard } from './createGuard.ts'

let seller: TestSeller
beforeAll(async () => {
  seller = await startSeller()
})
afterAll(() => seller.stop())

test('error: a payment that leaves in the body of a JSON-RPC request is not freed as one that never left', async () => {
  let ahead = 0
  const now = () => Date.now() + ahead
  const { account } = createCountingAccount()
  const ledger = createMemoryLedger()
  const guard = createGuard({ account, ledger, now })
  const send = guard.fetch()
  const headers = { 'content-type': 'application/json' }
  const rpc = (params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'buy', params })
  const call = (params: object) => send(`${seller.url}/rpc`, { method: 'POST', headers, body: rpc(params) })
  expect((await call({})).status).toBe(402)
  const message = messageOf(account.address, nonceOf(7))
  const signature = await guard.account(account).signTypedData(typedDataOf(message))
  const payment = paymentOf({ message, signature })
  let arrived = ''
  seller.character.before = (request, response) => {
    request.on('data', (chunk) => {
      arrived += chunk
    })
    request.on('end', () => response.end('{"jsonrpc":"2.0","id":1,"result":{}}'))
    return true
  }
  await call({ _meta: { 'x402/payment': payment } })
  expect(arrived).toContain(signature)
  ahead = 800_000
  seller.character = {}
  await send(`${seller.url}/other`).catch(() => {})
  // The amount of the payment that left, and that of the other approval.
  expect(ledger.totals().usdMicros).toBe(20_000n)
})
