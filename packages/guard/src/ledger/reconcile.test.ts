import { decodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { listen, type TestServer } from '../testing/listen.ts'
import { aRequest } from '../testing/requests.ts'
import { HONEST } from '../testing/seller.ts'
import { USDC } from '../testing/service.ts'
import { createMemoryLedger } from './journal.ts'
import { reconcileLedger } from './reconcile.ts'

const abi = parseAbi(['function authorizationState(address authorizer, bytes32 nonce) view returns (bool)'])
const NONCE = `0x${'0a'.repeat(32)}` as const
const VALID_BEFORE = 1_700_000_060
const USED = `0x${'1'.padStart(64, '0')}`
const UNUSED = `0x${'0'.repeat(64)}`

let rpc: TestServer
/** State of the chain. */
let chain: { timestamp: number; state: unknown; status?: number }
let calls: { method: string; params: unknown[] }[]

beforeEach(async () => {
  chain = { timestamp: VALID_BEFORE + 1, state: UNUSED }
  calls = []
  rpc = await listen(async (request, response) => {
    const { method, params } = JSON.parse(await new Response(request as never).text())
    calls.push({ method, params })
    const block = { number: '0x64', timestamp: `0x${chain.timestamp.toString(16)}` }
    response.statusCode = chain.status ?? 200
    response.end(
      JSON.stringify({ jsonrpc: '2.0', id: 1, result: method === 'eth_call' ? chain.state : block }),
    )
  })
})
afterEach(() => rpc.stop())

async function setUp(state: 'reserved' | 'sent' | 'unknown' = 'unknown') {
  const ledger = createMemoryLedger()
  const request = aRequest({ asset: USDC, payTo: HONEST })
  const reserved = await ledger.reserve(request, budgetLimits(parsePolicy()))
  if (!reserved.ok) throw new Error(reserved.code)
  const authorization = { from: HONEST, nonce: NONCE, validBefore: String(VALID_BEFORE) }
  if (state !== 'reserved') await ledger.update(reserved.id, { state: 'sent', authorization })
  if (state === 'unknown') await ledger.update(reserved.id, { state: 'unknown' })
  const reconcile = () => reconcileLedger(ledger, { rpcUrls: { 'eip155:8453': rpc.url } })
  return { ledger, reconcile }
}

describe('reconcileLedger', () => {
  test.each(['sent', 'unknown'] as const)(
    'default: releases a %s payment that a finalized block shows unused',
    async (state) => {
      const { ledger, reconcile } = await setUp(state)
      expect(await reconcile()).toEqual({ settled: 0, unused: 1, open: 0 })
      expect(ledger.totals().usdMicros).toBe(0n)
      expect(await reconcile()).toEqual({ settled: 0, unused: 0, open: 0 })
    },
  )

  test('behavior: queries the token at the finalized block', async () => {
    await (await setUp()).reconcile()
    const [block, state = { params: [] }] = calls
    expect(block).toEqual({ method: 'eth_getBlockByNumber', params: ['finalized', false] })
    const [{ to, data }, at] = state.params as [{ to: string; data: Hex }, string]
    expect([to, at]).toEqual([USDC, '0x64'])
    expect(decodeFunctionData({ abi, data }).args).toEqual([HONEST, NONCE])
  })

  test('behavior: commits a payment that was settled on chain', async () => {
    chain.state = USED
    const { ledger, reconcile } = await setUp()
    expect(await reconcile()).toEqual({ settled: 1, unused: 0, open: 0 })
    expect(ledger.totals().usdMicros).toBe(10_000n)
  })

  test('behavior: does not query reservations without an authorization', async () => {
    const { ledger, reconcile } = await setUp('reserved')
    expect(await reconcile()).toEqual({ settled: 0, unused: 0, open: 0 })
    expect(ledger.totals().usdMicros).toBe(10_000n)
  })

  test.each<[string, Partial<typeof chain>]>([
    ['a block at validBefore', { timestamp: VALID_BEFORE }],
    ['an RPC error', { status: 500, state: null }],
    ['a token without authorizationState', { state: '0x' }],
    ['nonsense', { state: '0x2' }],
  ])('error: releases nothing after %s', async (_, change) => {
    Object.assign(chain, change)
    const { ledger, reconcile } = await setUp()
    expect(await reconcile()).toEqual({ settled: 0, unused: 0, open: 1 })
    expect(ledger.totals().usdMicros).toBe(10_000n)
  })

  test('error: releases nothing without an RPC for the network', async () => {
    const { ledger } = await setUp()
    expect(await reconcileLedger(ledger, { rpcUrls: {} })).toEqual({ settled: 0, unused: 0, open: 1 })
  })
})
