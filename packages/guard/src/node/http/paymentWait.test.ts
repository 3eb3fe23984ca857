import type { ServerResponse } from 'node:http'
import { encodeBase64Json } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { outcomeOf, setUpFetch } from '../../testing/exchanges.ts'

const soon = () => String(Math.floor(Date.now() / 1000) + 2)
const PAID: [string, () => Record<string, string>][] = [
  [
    'x402 v2, by maxTimeoutSeconds',
    () => ({ 'PAYMENT-SIGNATURE': encodeBase64Json({ x402Version: 2, accepted: { maxTimeoutSeconds: 2 } }) }),
  ],
  [
    'x402 v2, by validBefore',
    () => ({
      'PAYMENT-SIGNATURE': encodeBase64Json({
        x402Version: 2,
        payload: { authorization: { validBefore: soon() } },
      }),
    }),
  ],
  [
    'x402 v2 upto, by its deadline',
    () => ({
      'PAYMENT-SIGNATURE': encodeBase64Json({ payload: { permit2Authorization: { deadline: soon() } } }),
    }),
  ],
  [
    'x402 v1',
    () => ({ 'X-PAYMENT': encodeBase64Json({ payload: { authorization: { validBefore: soon() } } }) }),
  ],
  [
    'MPP',
    () => ({
      authorization: `Payment ${encodeBase64Json({ challenge: { expires: new Date(Date.now() + 2000).toISOString() }, payload: {} })}`,
    }),
  ],
]

const late = (response: ServerResponse) => void setTimeout(() => response.end('paid'), 300)

test.each(PAID)(
  'behavior: a call paid by %s may take as long as its payment is valid',
  async (_, headers) => {
    const { url, fetch } = await setUpFetch(late, { timeoutMs: 100 })
    expect(await outcomeOf(fetch(url))).toBe('TimeoutError')
    expect(await outcomeOf(fetch(url, { headers: headers() }))).toBe('paid')
  },
)

test('behavior: a payment in a JSON-RPC body counts too', async () => {
  const { url, fetch } = await setUpFetch(late, { timeoutMs: 100 })
  const _meta = { 'x402/payment': { x402Version: 2, accepted: { maxTimeoutSeconds: 2 } } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', _meta } })
  expect(await outcomeOf(fetch(url, { method: 'POST', body }))).toBe('paid')
})

test.each([
  'x',
  encodeBase64Json({ accepted: { maxTimeoutSeconds: 'x' } }),
  encodeBase64Json({ accepted: { maxTimeoutSeconds: -5 } }),
  encodeBase64Json({ payload: { authorization: { validBefore: '0' } } }),
])('behavior: a payment that says nothing of its time has the usual wait', async (payment) => {
  const { url, fetch } = await setUpFetch(late, { timeoutMs: 100 })
  expect(await outcomeOf(fetch(url, { headers: { 'PAYMENT-SIGNATURE': payment } }))).toBe('TimeoutError')
})

test('behavior: no payment is waited for longer than the whole exchange may take', async () => {
  const { url, fetch } = await setUpFetch(late, { timeoutMs: 50, totalMs: 150 })
  const payment = encodeBase64Json({ accepted: { maxTimeoutSeconds: 1e9 } })
  expect(await outcomeOf(fetch(url, { headers: { 'PAYMENT-SIGNATURE': payment } }))).toBe('TimeoutError')
})
