import { BASE_USDC } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import type { Paywall, SaleOutcome } from '../payments/paywall.ts'
import { startHttpApp } from './testing/startHttpApp.ts'

/** Calls a path whose sale ends as given, and returns the tokens that were noted. */
async function call(path: string, outcome: SaleOutcome): Promise<string[]> {
  const sold: string[] = []
  const paywall: Paywall = { sell: async () => outcome }
  const soldTokens = { note: async (token: string) => void sold.push(token.toLowerCase()) }
  const origin = await startHttpApp({ paywall, soldTokens })
  await (await fetch(origin + path)).text()
  return sold
}

const DELIVERED: SaleOutcome = {
  kind: 'delivered',
  answer: { status: 200, headers: {}, body: '{}' },
  replayed: false,
}
const USDC = BASE_USDC.toLowerCase()

test.each(['pulse', 'whales', 'flow', 'momentum'])(
  'default: a settled sale of /%s notes its token',
  async (path) => {
    expect(await call(`/${path}?token=${BASE_USDC}`, DELIVERED)).toEqual([USDC])
  },
)

test.each<[string, string, SaleOutcome]>([
  ['a sale that is not about a token', '/trust', DELIVERED],
  ['an unpaid call', `/pulse?token=${USDC}`, { kind: 'challenge', headers: {}, body: '{}' }],
  [
    'a refused call',
    `/pulse?token=${USDC}`,
    { kind: 'refused', refusal: { status: 404, code: 'x', detail: 'x' } },
  ],
])('behavior: %s notes none', async (_, path, outcome) => {
  expect(await call(path, outcome)).toEqual([])
})

test('error: a token that cannot be noted is logged, unless the process stops', async () => {
  const lines: unknown[] = []
  const stop = new AbortController()
  const paywall: Paywall = { sell: async () => DELIVERED }
  const origin = await startHttpApp({
    paywall,
    stopping: stop.signal,
    soldTokens: {
      async note() {
        if (lines.length > 0) stop.abort()
        throw new Error('no store')
      },
    },
    log: (...line) => void lines.push(line),
  })
  for (let call = 0; call < 2; call++) {
    const response = await fetch(`${origin}/pulse?token=${USDC}`)
    expect([response.status, await response.text()]).toEqual([200, '{}'])
  }
  const fields = { event: 'sold_token_failed', reason: 'no store' }
  expect(lines).toEqual([['warn', 'sold token failed: no store', fields]])
})
