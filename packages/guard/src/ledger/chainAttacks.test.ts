import { afterEach, describe, expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import type { TestServer } from '../testing/listen.ts'
import { aProof, aRequest } from '../testing/requests.ts'
import { aBlock, startRpc, UNUSED, USED } from '../testing/rpc.ts'
import { HONEST } from '../testing/seller.ts'
import { USDC } from '../testing/service.ts'
import type { ReadChain } from './chain.ts'
import { createMemoryLedger } from './journal.ts'
import type { Reservation } from './ledger.ts'
import { reconcileLedger } from './reconcile.ts'

const UNTIL = 1_700_000_060
const limits = budgetLimits(parsePolicy())
const servers: TestServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
})

const nonceOf = (byte: string) => `0x${byte.repeat(32)}`
const signed = (byte: string, until = UNTIL) => ({
  from: HONEST,
  nonce: nonceOf(byte),
  validBefore: String(until),
})

async function reserve(change: Partial<Reservation> = {}) {
  const ledger = createMemoryLedger()
  const reserved = await ledger.reserve(aRequest({ asset: USDC, payTo: HONEST, ...change }), limits)
  if (!reserved.ok) throw new Error(reserved.code)
  return { ledger, id: reserved.id }
}

type Rpc = (method: string, params: unknown[]) => unknown
async function openRpc(...given: Parameters<typeof startRpc<unknown[]>>) {
  const server = await startRpc(...given)
  servers.push(server)
  return server.url
}
const now = UNTIL + 40 * 60
const honest =
  (change: Partial<Record<string, unknown>> = {}, block: Record<string, unknown> = {}): Rpc =>
  (method) =>
    ({
      eth_chainId: '0x2105',
      eth_getBlockByNumber: { ...aBlock((UNTIL + 1200) * 1000), ...block },
      eth_call: UNUSED,
      eth_getLogs: [],
      ...change,
    })[method]

describe('attacks by an RPC', () => {
  test('behavior: a second authorization for one payment does not make the ledger forget the first', async () => {
    const { ledger, id } = await reserve()
    await ledger.update(id, { state: 'handedOut', authorization: signed('aa', UNTIL + 3600) })
    await ledger.update(id, { state: 'sent', authorization: signed('bb') })
    // The second has expired unused; the first can be collected for an hour yet.
    await ledger.update(id, { state: 'unused', proof: aProof(UNTIL) })
    expect(ledger.totals().usdMicros).toBeGreaterThanOrEqual(10_000n)
  })

  test.each<[string, Record<string, unknown>]>([
    ['a time beyond 2^53', { timestamp: '0xffffffffffffffff' }],
    ['a negative time', { timestamp: '-0x1' }],
    ['a time as a number', { timestamp: UNTIL + 1200 }],
    ['odd hexadecimal', { timestamp: '0xg' }],
    ['an empty quantity', { timestamp: '0x' }],
    ['a number beyond 64 bits', { number: `0x1${'0'.repeat(16)}` }],
    ['no number', { number: null }],
  ])('behavior: releases nothing by a block with %s', async (_, block) => {
    const { ledger, id } = await reserve()
    await ledger.update(id, { state: 'sent', authorization: signed('aa') })
    const url = await openRpc(honest({}, block))
    await reconcileLedger(ledger, { rpcUrls: { 'eip155:8453': url }, now: () => now * 1000 })
    expect(ledger.totals().usdMicros).toBe(10_000n)
  })

  test.each<[string, (result: unknown) => unknown]>([
    ['a batch', (result) => [{ jsonrpc: '2.0', id: 1, result }]],
    ['the answer to another request', (result) => ({ jsonrpc: '2.0', id: 2, result })],
    ['an error beside the result', (result) => ({ jsonrpc: '2.0', id: 1, result, error: { code: -32000 } })],
  ])('behavior: releases nothing by %s', async (_, wrap) => {
    const { ledger, id } = await reserve()
    await ledger.update(id, { state: 'sent', authorization: signed('aa') })
    const url = await openRpc(honest(), wrap)
    await reconcileLedger(ledger, { rpcUrls: { 'eip155:8453': url }, now: () => now * 1000 })
    expect(ledger.totals().usdMicros).toBe(10_000n)
  })

  test('behavior: a proof that the ledger does not accept is not reported as a release', async () => {
    const { ledger, id } = await reserve()
    await ledger.update(id, { state: 'sent', authorization: signed('aa') })
    // As a shared ledger does whose clock is behind.
    const update = ledger.update
    const behind = {
      ...ledger,
      update: (one: string, change: Parameters<typeof update>[1]) =>
        update(
          one,
          'proof' in change && change.state === 'unused'
            ? { ...change, proof: { ...change.proof, at: UNTIL * 1000 } }
            : change,
        ),
    }
    const url = await openRpc(honest())
    const result = await reconcileLedger(behind, { rpcUrls: { 'eip155:8453': url }, now: () => now * 1000 })
    expect(ledger.totals().usdMicros).toBe(10_000n)
    expect(result).toMatchObject({ unused: 0, open: 1 })
  })

  test('behavior: one of two RPC endpoints alone does not let the strike of one agent bar another', async () => {
    const { ledger, id } = await reserve({ agent: 'a' })
    await ledger.update(id, { state: 'sent', authorization: signed('aa') })
    await ledger.update(id, { delivered: false })
    const liar = await openRpc(honest({ eth_call: USED }))
    const other = await openRpc(honest())
    await reconcileLedger(ledger, { rpcUrls: { 'eip155:8453': [liar, other] }, now: () => now * 1000 })
    const view = (agent: string) =>
      ledger.view(
        { ...aRequest({ asset: USDC, payTo: HONEST }), agent },
        { ...limits, maxStrikes: 0 },
        Date.now(),
      )
    expect(view('a').struckUntil).not.toBeNull()
    expect(view('b').struckUntil).toBeNull()
  })

  test('behavior: one dead RPC endpoint does not hide that another shows the payment as collected', async () => {
    const { ledger, id } = await reserve()
    await ledger.update(id, { state: 'sent', authorization: signed('aa') })
    const dead = await openRpc(() => undefined)
    const other = await openRpc(honest({ eth_call: USED }))
    const result = await reconcileLedger(ledger, {
      rpcUrls: { 'eip155:8453': [dead, other] },
      now: () => now * 1000,
    })
    expect(result).toMatchObject({ settled: 1 })
  })
})

test('error: what the chain says of one authorization lowers no payment that has got another meanwhile', async () => {
  const ledger = createMemoryLedger()
  const now = Date.now()
  const until = Math.floor(now / 1000) + 600
  const signed = (byte: string) => ({
    from: HONEST,
    nonce: `0x${byte.repeat(32)}`,
    validBefore: String(until),
  })
  const reserve = async (call: string) => {
    const request = { asset: USDC, payTo: HONEST, agent: 'research', scheme: 'upto' as const, call }
    const reserved = await ledger.reserve(aRequest(request), limits)
    if (!reserved.ok) throw new Error(reserved.code)
    return reserved.id
  }
  const [first, second] = [await reserve('GET 1'), await reserve('GET 2')]
  await ledger.update(first, { state: 'handedOut', authorization: signed('aa') })
  await ledger.update(second, { state: 'handedOut', authorization: signed('bb') })
  const rpc = async (_: unknown, init?: RequestInit) => {
    const { method } = JSON.parse(String(init?.body))
    const result = method === 'eth_chainId' ? '0x2105' : aBlock(now)
    return new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  }
  // The seller has collected one unit by the first signature, and nothing by the second.
  let isFirst = true
  const readChain: ReadChain = async (_, { authorization }) => {
    const { nonce } = authorization ?? {}
    // The agent presents the first signature for the second call, while the endpoint takes its time.
    if (isFirst) await ledger.update(second, { state: 'sent', authorization: signed('aa') })
    isFirst = false
    return nonce === signed('aa').nonce
      ? { used: true, transaction: null, amountAtomic: '1' }
      : { used: false }
  }
  const options = {
    rpcUrls: { 'eip155:8453': 'http://rpc' },
    fetch: rpc as never,
    upto: { readChain },
    now: () => now,
  }
  await reconcileLedger(ledger, options)
  await reconcileLedger(ledger, options)
  // The second signature can still take all that it was signed for.
  expect(ledger.totals().usdMicros).toBeGreaterThanOrEqual(10_001n)
})
