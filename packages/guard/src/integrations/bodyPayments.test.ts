import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryLedger } from '../ledger/journal.ts'
import { createCountingAccount } from '../testing/clients.ts'
import { HONEST, startSeller, type TestSeller } from '../testing/seller.ts'
import { USDC } from '../testing/service.ts'
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
  const authorization = {
    ...{ from: account.address, to: HONEST, value: '10000', validAfter: '0' },
    validBefore: String(Math.floor(now() / 1000) + 60),
    nonce: `0x${'07'.repeat(32)}`,
  }
  const fields = ['from address', 'to address', 'value uint256', 'validAfter uint256', 'validBefore uint256']
  const types = [...fields, 'nonce bytes32'].map((text) => text.split(' '))
  const signature = await guard.account(account).signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC },
    primaryType: 'TransferWithAuthorization',
    types: { TransferWithAuthorization: types.map(([name, type]) => ({ name, type })) },
    message: authorization,
  })
  const asset = { network: 'eip155:8453', asset: USDC, payTo: HONEST, amount: '10000', scheme: 'exact' }
  const accepted = { ...asset, maxTimeoutSeconds: 60, extra: { name: 'USD Coin', version: '2' } }
  const payment = { x402Version: 2, accepted, payload: { signature, authorization } }
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
