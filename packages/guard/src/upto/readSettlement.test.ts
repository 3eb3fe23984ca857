import { x402UptoPermit2ProxyABI } from '@x402/evm'
import { encodeFunctionData, pad, toHex } from 'viem'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { createMemoryLedger } from '../ledger/journal.ts'
import { reconcileLedger } from '../ledger/reconcile.ts'
import type { TestServer } from '../testing/listen.ts'
import { aRequest } from '../testing/requests.ts'
import { startRpc } from '../testing/rpc.ts'
import { HONEST, THIEF } from '../testing/seller.ts'
import { USDC } from '../testing/service.ts'
import { createUpto } from './createUpto.ts'
import { UPTO_PROXY } from './permit.ts'

// Real settlements are in e2e/upto.test.ts; here the RPC endpoint is faulty or lies.
const PAYER = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const NONCE = (7n << 8n) | 3n
const DEADLINE = 1_700_000_060
const FINAL = 100
const HASH = `0x${'ab'.repeat(32)}` as const
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const word = (value: bigint) => toHex(value, { size: 32 })

/** A call of the proxy; changed by hostile facilitators. */
function settle(
  change: { amount?: bigint; nonce?: bigint; owner?: string; to?: string; withPermit?: boolean } = {},
) {
  const { amount = 4000n, nonce = NONCE, owner = PAYER, to = HONEST, withPermit = false } = change
  const permit = { permitted: { token: USDC, amount: 10_000n }, nonce, deadline: BigInt(DEADLINE) }
  const args = [permit, amount, owner, { to, facilitator: THIEF, validAfter: 0n }, '0xabcd']
  const permit2612 = { value: 0n, deadline: 0n, r: word(0n), s: word(0n), v: 27 }
  return encodeFunctionData({
    abi: x402UptoPermit2ProxyABI,
    functionName: withPermit ? 'settleWithPermit' : 'settle',
    args: (withPermit ? [permit2612, ...args] : args) as never,
  })
}

const transfer = (amount = 4000n, from = PAYER, to = HONEST, address = USDC) => ({
  address,
  topics: [TRANSFER, ...[from, to].map((one) => pad(one as `0x${string}`, { size: 32 }).toLowerCase())],
  data: word(amount),
})

type Answers = {
  timestamp: number
  bitmap: unknown
  input: string
  to: string
  receipt: Record<string, unknown> | null
  found: string[]
}

let rpc: TestServer
let chain: Answers
beforeEach(async () => {
  const receipt = { status: '0x1', blockNumber: toHex(FINAL), logs: [transfer()] }
  chain = { timestamp: DEADLINE, bitmap: word(8n), input: settle(), to: UPTO_PROXY, receipt, found: [HASH] }
  rpc = await startRpc((method, params) => {
    const block = { number: toHex(FINAL), timestamp: toHex(chain.timestamp) }
    const results: Record<string, unknown> = {
      eth_chainId: '0x2105',
      eth_getBlockByNumber: block,
      eth_call: chain.bitmap,
      eth_getLogs: chain.found.map((transactionHash) => ({ transactionHash })),
      eth_getTransactionByHash: params[0] === HASH ? { to: chain.to, input: chain.input } : null,
      eth_getTransactionReceipt: params[0] === HASH ? chain.receipt : null,
    }
    return results[method]
  })
})
afterEach(() => rpc.stop())

/** Returns the spending in atomic units after a settled or unsettled payment was looked up. */
async function reconcile({ isClaimed = false, withUpto = true } = {}) {
  const ledger = createMemoryLedger()
  const request = aRequest({ asset: USDC, payTo: HONEST, scheme: 'upto', task: 'report' })
  const reserved = await ledger.reserve(request, budgetLimits(parsePolicy()))
  if (!reserved.ok) throw new Error(reserved.code)
  const authorization = { from: PAYER, nonce: word(NONCE), validBefore: String(DEADLINE) }
  await ledger.update(reserved.id, { state: 'sent', authorization })
  if (isClaimed)
    await ledger.update(reserved.id, { state: 'settled', by: 'seller', transaction: `0x${'cd'.repeat(32)}` })
  const upto = withUpto ? { upto: createUpto() } : {}
  const run = () =>
    reconcileLedger(ledger, {
      rpcUrls: { 'eip155:8453': rpc.url },
      now: () => (DEADLINE + 1200) * 1000,
      ...upto,
    })
  const found = await run()
  return { ledger, found, run, id: reserved.id, spent: ledger.totals().byAsset[0]?.amountAtomic ?? 0n }
}

describe('readSettlement', () => {
  test.each([true, false])(
    'default: frees what was not collected (claimed by the seller: %s)',
    async (isClaimed) => {
      const { found, spent, ledger, id, run } = await reconcile({ isClaimed })
      expect([found, spent]).toMatchObject([{ settled: 1, unused: 0, open: 0 }, 4000n])
      expect(ledger.find(id)).toMatchObject({
        state: 'settled',
        amountAtomic: '10000',
        known: { transaction: HASH },
      })
      const { day, total, tasks } = ledger.summary(Date.now())
      expect([day.get('day')?.spent, total.spent, tasks.get('report')]).toEqual([4000n, 4000n, 4000n])
      expect(await run()).toMatchObject({ settled: 0, unused: 0, open: 0 })
    },
  )

  test('behavior: reads settlements with a permit of the token', async () => {
    chain.input = settle({ withPermit: true })
    expect(await reconcile()).toMatchObject({ spent: 4000n })
  })

  test('behavior: reads a call with data after its arguments', async () => {
    chain.input = `${settle()}abcdef`
    expect(await reconcile()).toMatchObject({ spent: 4000n })
  })

  test.each([true, false])(
    'behavior: frees all after the deadline (claimed by the seller: %s)',
    async (isClaimed) => {
      Object.assign(chain, { bitmap: word(~8n & 0xffn), timestamp: DEADLINE + 1 })
      expect(await reconcile({ isClaimed })).toMatchObject({ found: { unused: 1 }, spent: 0n })
    },
  )

  test.each<[string, Partial<Answers>]>([
    ['before the deadline', { bitmap: word(0n), timestamp: DEADLINE }],
    ['with a bitmap of other nonces', { bitmap: word(4n), timestamp: DEADLINE }],
    ['without Permit2', { bitmap: '0x', timestamp: DEADLINE + 1 }],
    ['with a short bitmap', { bitmap: '0x0', timestamp: DEADLINE + 1 }],
    ['with a bitmap that is a number', { bitmap: 0, timestamp: DEADLINE + 1 }],
    ['with no bitmap', { bitmap: null, timestamp: DEADLINE + 1 }],
  ])('error: frees nothing %s', async (_, change) => {
    Object.assign(chain, change)
    expect(await reconcile()).toMatchObject({ found: { open: 1 }, spent: 10_000n })
  })

  test.each<[string, () => Partial<Answers>]>([
    ['of another nonce', () => ({ input: settle({ nonce: NONCE + 1n }) })],
    ['of another payer', () => ({ input: settle({ owner: THIEF }) })],
    ['to another receiver', () => ({ input: settle({ to: THIEF }) })],
    [
      'above the ceiling',
      () => ({ input: settle({ amount: 10_001n }), receipt: receiptOf(transfer(10_001n)) }),
    ],
    ['of another contract', () => ({ to: THIEF })],
    ['by another function', () => ({ input: `0x12345678${settle().slice(10)}` })],
    ['that is cut off', () => ({ input: settle().slice(0, 200) })],
    ['that failed', () => ({ receipt: { ...receiptOf(transfer()), status: '0x0' } })],
    ['that is not final', () => ({ receipt: { ...receiptOf(transfer()), blockNumber: toHex(FINAL + 1) } })],
    ['without a receipt', () => ({ receipt: null })],
    ['without a transfer', () => ({ receipt: receiptOf() })],
    ['with a transfer of more', () => ({ receipt: receiptOf(transfer(9000n)) })],
    [
      'with a transfer of another token',
      () => ({ receipt: receiptOf(transfer(4000n, PAYER, HONEST, THIEF)) }),
    ],
    ['with a transfer by another payer', () => ({ receipt: receiptOf(transfer(4000n, THIEF)) })],
    ['that is not found', () => ({ found: [] })],
  ])('error: keeps the ceiling for a used nonce and a transaction %s', async (_, change) => {
    Object.assign(chain, change())
    const { found, spent, ledger, run } = await reconcile()
    expect({ found, spent }).toMatchObject({ found: { settled: 0, open: 1 }, spent: 10_000n })
    // What is known already is not recorded at every run.
    const update = vi.spyOn(ledger, 'update')
    expect(await run()).toMatchObject({ settled: 0, open: 1 })
    expect(update).not.toHaveBeenCalled()
  })

  test('error: reads nothing without the scheme', async () => {
    expect(await reconcile({ withUpto: false })).toMatchObject({ found: { open: 1 }, spent: 10_000n })
  })

  test('error: never raises what a payment has cost', async () => {
    const { ledger, id } = await reconcile()
    await ledger.update(id, { state: 'settled', by: 'chain', transaction: HASH, amountAtomic: '10000' })
    expect(ledger.totals().usdMicros).toBe(4000n)
  })
})

function receiptOf(...logs: unknown[]) {
  return { status: '0x1', blockNumber: toHex(FINAL), logs }
}
