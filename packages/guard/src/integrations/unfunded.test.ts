import { expect, test } from 'vitest'
import { paymentOf } from '../paymentOf.ts'
import { useHarness } from '../testing/harness.ts'
import { aBlock, startRpc } from '../testing/rpc.ts'
import { challenge } from '../testing/seller.ts'

const harness = useHarness('@x402/fetch')

/** Pays a seller that asks again, with an RPC endpoint that shows a balance. */
async function setUp(balance: bigint, chainId = '0x2105') {
  harness.know()
  const { seller } = harness
  seller.character = { onPaid: (request, response) => challenge(seller.url, {}, request, response) }
  const rpc = await startRpc((method, [call]: [{ data: string }]) => {
    const isBalance = method === 'eth_call' && call.data.startsWith('0x70a08231')
    const answers: Record<string, unknown> = { eth_chainId: chainId, eth_getBlockByNumber: aBlock() }
    return isBalance ? `0x${balance.toString(16).padStart(64, '0')}` : answers[method]
  })
  const { guard, pay } = harness.setUp({ rpcUrls: { 'eip155:8453': rpc.url } })
  const refusal = async (path: string) => pay(`${seller.url}${path}`).catch((error: unknown) => error)
  return { guard, refusal, stop: () => rpc.stop() }
}

test('behavior: an unfunded wallet is named, and is no strike', async () => {
  const { guard, refusal, stop } = await setUp(9999n)
  for (const path of ['/weather?1', '/weather?2', '/weather?3']) {
    expect(await refusal(path)).toMatchObject({
      code: 'PAYMENT_NOT_ACCEPTED',
      message: expect.stringContaining('The wallet holds less than that.'),
      remedy: expect.stringContaining('Check that the wallet is funded.'),
      moneyMayHaveLeft: true,
    })
  }
  expect(await guard.strikes()).toEqual([])
  await stop()
})

test('behavior: an RPC of another chain knows nothing of the wallet', async () => {
  const { refusal, stop } = await setUp(0n, '0x1')
  expect(await refusal('/weather')).toMatchObject({
    message: expect.not.stringContaining('The wallet holds less'),
  })
  await stop()
})

test('behavior: a funded wallet is not blamed, and the second refusal in a row is a strike', async () => {
  const { guard, refusal, stop } = await setUp(10_000n)
  for (const path of ['/weather?1', '/weather?2']) {
    expect(await refusal(path)).toMatchObject({
      code: 'PAYMENT_NOT_ACCEPTED',
      message: expect.not.stringContaining('The wallet holds less'),
    })
  }
  expect(await guard.strikes()).toHaveLength(1)
  await stop()
})

test('default: a response tells what it cost', async () => {
  harness.know()
  harness.seller.character = {}
  const { guard, pay } = harness.setUp()
  const paid = await pay(`${harness.seller.url}/weather`)
  const payment = paymentOf(paid)
  expect(payment).toMatchObject({ intent: { amountUsd: '0.01', host: new URL(harness.seller.url).host } })
  expect(guard.ledger.find(payment?.paymentId ?? '')).toMatchObject({ state: 'settled' })
  expect(Object.keys(paid)).toEqual(Object.keys(new Response()))
  harness.seller.character = { before: (_, response) => Boolean(response.end('free')) }
  expect(paymentOf(await pay(`${harness.seller.url}/free`))).toBeNull()
})
