import { USDC, walletAt } from '@touchstone402/economy'
import { createGuard, createMemoryLedger, paymentOf } from '@touchstone402/guard'
import { createMpp } from '@touchstone402/guard/mpp'
import { Mppx as MppxClient, evm as stockEvm } from 'mppx/client'
import { assets } from 'mppx/evm'
import { evm, Mppx } from 'mppx/server'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { type LocalServer, serve } from './support/serve.ts'
import { termOf } from './support/signingService.ts'
import { PRICE, RECEIVER, useWalletMarket } from './support/walletMarket.ts'

checksNoAnswers('the guard alone, with a service of the test')

const market = useWalletMarket()
const payer = walletAt(8)
let shop: LocalServer

beforeAll(async () => {
  await market.chain.mintUsdc(payer.address, 5n * PRICE)
  const seller = Mppx.create({
    methods: [
      evm.charge({
        currency: assets.base.USDC,
        recipient: RECEIVER,
        settle: ({ payload }) => collect(payload),
      }),
    ],
    secretKey: 'a secret of the seller, with 32 bytes',
  })
  const charge = seller.evm.charge({ amount: '0.01' })
  shop = await serve(async (request, response) => {
    const asked = new Request(`${shop.url}${request.url}`, { headers: request.headers as never })
    const result = await charge(asked)
    const answer = result.status === 402 ? result.challenge : result.withReceipt(new Response('sunny'))
    // A seller of MPP alone; the stock server offers x402 beside it.
    answer.headers.delete('payment-required')
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
})
afterAll(() => shop.stop())

type Payload = { from: string; to: string; value: string; validAfter: string; validBefore: string } & {
  nonce: string
  signature: string
}

/** Settles a charge as the seller does, by the token itself. */
async function collect(payload: Payload): Promise<{ reference: Hex }> {
  const { from, to, value, validAfter, validBefore, nonce, signature } = payload
  const times = [BigInt(validAfter), BigInt(validBefore)] as const
  const args = [from as Hex, to as Hex, BigInt(value), ...times, nonce as Hex, signature as Hex] as const
  const abi = parseAbi([
    'function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, bytes)',
  ])
  const data = encodeFunctionData({ abi, functionName: 'transferWithAuthorization', args })
  return { reference: await market.send(USDC, data) }
}

test('default: an MPP charge of the stock client and server settles on chain under the guard', async () => {
  const url = `${shop.url}/weather`
  market.service.vouch(url, termOf(RECEIVER, `${PRICE}`))
  const ledger = createMemoryLedger()
  const guard = createGuard({ ledger, service: { url: market.service.url }, mpp: createMpp() })
  const methods = [
    stockEvm.charge({ account: guard.account(payer) as never, currencies: [assets.base.USDC] }),
  ]
  const below = guard.fetch() as typeof fetch
  const pay = MppxClient.create({ fetch: below, methods, polyfill: false }).fetch
  const before = await market.balance(RECEIVER)
  const response = await pay(url)
  expect(await response.text()).toBe('sunny')
  expect((await market.balance(RECEIVER)) - before).toBe(PRICE)
  const { paymentId } = paymentOf(response) ?? {}
  const entry = ledger.find(String(paymentId))
  expect(entry).toMatchObject({ state: 'settled', amountAtomic: `${PRICE}`, payTo: RECEIVER })
  expect(entry?.known?.transaction).toMatch(/^0x[0-9a-f]{64}$/)
  expect(ledger.totals().usdMicros).toBe(PRICE)
})
