import { decodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { listen, type TestServer } from '../testing/listen.ts'
import { aRequest } from '../testing/requests.ts'
import { HONEST } from '../testing/seller.ts'
import { USDC } from '../testing/service.ts'
import { createMemoryLedger } from './journal.ts'
import type { Reservation } from './ledger.ts'
import { reconcileLedger } from './reconcile.ts'

const abi = parseAbi(['function authorizationState(address authorizer, bytes32 nonce) view returns (bool)'])
const NONCE = `0x${'0a'.repeat(32)}` as const
const UNTIL = 1_700_000_060
const MINUTE = 60
const USED = `0x${'1'.padStart(64, '0')}`
const UNUSED = `0x${'0'.repeat(64)}`

/** State of a chain, as an RPC endpoint tells it. */
type Told = {
  chainId: string
  /** Heights and times (Unix seconds) of its last and its last finalized block. */
  latest: [number, number]
  finalized: [number, number] | null
  hash: string
  usedAtLatest: unknown
  used: unknown
  status: number
}

const honest: Told = {
  chainId: '0x2105',
  latest: [200, UNTIL + 40 * MINUTE],
  finalized: [100, UNTIL + 20 * MINUTE],
  hash: '0xaa',
  usedAtLatest: UNUSED,
  used: UNUSED,
  status: 200,
}
/** The own clock, in Unix seconds. */
let now: number
let servers: TestServer[]
let calls: { method: string; params: unknown[] }[]

beforeEach(() => {
  now = UNTIL + 40 * MINUTE
  servers = []
  calls = []
})
afterEach(async () => {
  for (const server of servers) await server.stop()
})

async function startRpc(change: Partial<Told> = {}): Promise<string> {
  const told = { ...honest, ...change }
  const server = await listen(async (request, response) => {
    const { method, params } = JSON.parse(await new Response(request as never).text())
    calls.push({ method, params })
    const toBlock = ([number, timestamp]: [number, number]) => ({
      number: `0x${number.toString(16)}`,
      timestamp: `0x${timestamp.toString(16)}`,
      hash: told.hash,
    })
    const block = () => {
      if (params[0] === 'latest') return toBlock(told.latest)
      return told.finalized && toBlock([told.finalized[0], told.finalized[1]])
    }
    const isLatest = params[1] === `0x${told.latest[0].toString(16)}`
    const results: Record<string, () => unknown> = {
      eth_chainId: () => told.chainId,
      eth_getBlockByNumber: block,
      eth_call: () => (isLatest ? told.usedAtLatest : told.used),
      eth_getLogs: () => [],
    }
    response.statusCode = told.status
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: results[method]?.() }))
  })
  servers.push(server)
  return server.url
}

async function setUp(
  rpcs: Partial<Told>[] = [{}],
  state: 'reserved' | 'handedOut' | 'sent' | 'unknown' = 'unknown',
  change: Partial<Reservation> = {},
) {
  const ledger = createMemoryLedger()
  const reserved = await ledger.reserve(
    aRequest({ asset: USDC, payTo: HONEST, ...change }),
    budgetLimits(parsePolicy()),
  )
  if (!reserved.ok) throw new Error(reserved.code)
  const authorization = { from: HONEST, nonce: NONCE, validBefore: String(UNTIL) }
  if (state === 'handedOut') await ledger.update(reserved.id, { state, authorization })
  if (state === 'sent' || state === 'unknown')
    await ledger.update(reserved.id, { state: 'sent', authorization })
  if (state === 'unknown') await ledger.update(reserved.id, { state })
  const urls = await Promise.all(rpcs.map(startRpc))
  const rpcUrls = { 'eip155:8453': urls }
  const reconcile = () => reconcileLedger(ledger, { rpcUrls, now: () => now * 1000 })
  return { ledger, reconcile, spent: () => ledger.totals().usdMicros }
}

describe('reconcileLedger', () => {
  test.each(['handedOut', 'sent', 'unknown'] as const)(
    'default: releases a %s payment that a fresh finalized block shows unused after its end',
    async (state) => {
      const { reconcile, spent } = await setUp([{}], state, { agent: 'research' })
      expect(await reconcile()).toEqual({ settled: 0, unused: 1, open: 0, kept: [] })
      expect(spent()).toBe(0n)
      expect(await reconcile()).toEqual({ settled: 0, unused: 0, open: 0, kept: [] })
    },
  )

  test('behavior: asks for the chain, the last and the finalized block, and for the token at both', async () => {
    await (await setUp()).reconcile()
    expect(calls.map(({ method, params }) => [method, params.at(-2) ?? params[0]])).toMatchObject([
      ['eth_chainId', undefined],
      ['eth_getBlockByNumber', 'latest'],
      ['eth_call', { to: USDC }],
      ['eth_getBlockByNumber', 'finalized'],
      ['eth_call', { to: USDC }],
    ])
    const [{ data }, at] = (calls.at(-1)?.params ?? []) as [{ data: Hex }, string]
    expect([decodeFunctionData({ abi, data }).args, at]).toEqual([[HONEST, NONCE], '0x64'])
  })

  test.each(['used', 'usedAtLatest'] as const)(
    'behavior: believes at once that a payment was settled (%s)',
    async (where) => {
      // Long before its end, and by an endpoint that lags by a day.
      now = UNTIL + 86_400
      const { reconcile, spent, ledger } = await setUp([{ [where]: USED, latest: [100, UNTIL - 30] }])
      if (where === 'used') return expect(await reconcile()).toMatchObject({ settled: 0, open: 1 })
      expect(await reconcile()).toMatchObject({ settled: 1, open: 0 })
      expect([spent(), ledger.pending()]).toEqual([10_000n, []])
    },
  )

  test('behavior: does not ask about reservations without an authorization', async () => {
    const { reconcile, spent } = await setUp([{}], 'reserved')
    expect(await reconcile()).toMatchObject({ settled: 0, unused: 0, open: 0 })
    expect([spent(), calls]).toEqual([10_000n, []])
  })

  test.each<[string, Partial<Told>[], number, string]>([
    [
      'a block at the end of the authorization',
      [{ finalized: [100, UNTIL] }],
      20,
      'a final block must be later',
    ],
    [
      'an own clock within ten minutes of the end',
      [{ finalized: [100, UNTIL + 30] }],
      10,
      'can be collected until',
    ],
    [
      'a block of the year 2100',
      [{ finalized: [100, 4_102_444_800] }],
      40,
      'min newer than the clock of this machine',
    ],
    [
      'a block that is newer by more than a minute',
      [{ finalized: [100, UNTIL + 40 * MINUTE + 61] }],
      40,
      'newer',
    ],
    ['a block that is older than an hour', [{ finalized: [100, UNTIL + 1] }], 61, 'min older than the clock'],
    ['an RPC of another chain', [{ chainId: '0x1' }], 40, 'The RPC endpoint is of chain 1, not 8453.'],
    ['an RPC without a chain', [{ chainId: 'x' }], 40, 'of chain none'],
    ['a chain without finalized blocks', [{ finalized: null }], 40, 'failed'],
    ['an RPC error', [{ status: 500, chainId: '' }], 40, 'of chain none'],
    ['a token without authorizationState', [{ used: '0x', usedAtLatest: '0x' }], 40, 'does not tell'],
    ['nonsense', [{ used: '0x2' }], 40, 'does not tell'],
    ['a second RPC that shows it used', [{}, { used: USED }], 40, 'do not agree'],
    [
      'a second RPC with another block at that height',
      [{}, { hash: '0xbb' }],
      40,
      'disagree about a finalized block',
    ],
    ['a second RPC whose finalized block is too early', [{}, { finalized: [90, UNTIL] }], 40, 'disagree'],
    ['a second RPC that fails', [{}, { finalized: null }], 40, 'failed'],
    ['a second RPC of another chain', [{}, { chainId: '0x1' }], 40, 'of chain 1'],
  ])('error: releases nothing after %s, and says why', async (_, rpcs, minutes, why) => {
    now = UNTIL + minutes * MINUTE
    const { reconcile, spent } = await setUp(rpcs, 'unknown')
    expect(await reconcile()).toMatchObject({
      settled: 0,
      unused: 0,
      open: 1,
      kept: [{ id: expect.any(String), why: expect.stringContaining(why) }],
    })
    expect(spent()).toBe(10_000n)
  })

  test('behavior: several RPC endpoints that agree release it', async () => {
    const { reconcile, spent } = await setUp([{}, {}, {}])
    expect(await reconcile()).toMatchObject({ unused: 1 })
    expect(spent()).toBe(0n)
  })

  test('error: releases nothing without an RPC for the network', async () => {
    const { ledger } = await setUp()
    expect(await reconcileLedger(ledger, { rpcUrls: {} })).toMatchObject({
      kept: [{ why: 'There is no RPC endpoint for eip155:8453.' }],
    })
  })

  test('behavior: releases without an RPC what never left a program of the owner, and nothing of an agent', async () => {
    for (const [agent, expected] of [
      [null, 0n],
      ['research', 10_000n],
    ] as const) {
      const { ledger, spent } = await setUp([], 'handedOut', { agent })
      const run = () => reconcileLedger(ledger, { rpcUrls: {}, now: () => now * 1000 })
      now = UNTIL + 10 * MINUTE
      await run()
      expect(spent()).toBe(10_000n)
      now += 1
      await run()
      expect(spent()).toBe(expected)
    }
  })
})
