import { FlowSchema, MomentumSchema, PulseSchema, WhalesSchema } from '@touchstone402/shared'
import { encodeAbiParameters, getAddress, numberToHex, stringToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTransferSource } from '../createTransferSource.ts'
import { emit, placeEventToken, setAnswer } from '../testing/eventToken.ts'
import { type QuirkyRpc, startQuirkyRpc } from '../testing/quirkyRpc.ts'
import { useChain } from '../testing/useChain.ts'
import type { Address, TransferSource } from '../types.ts'
import { createTokenAnswers, type TokenAnswers } from './tokenAnswers.ts'

const token = (n: number): Address => `0x${n.toString(16).padStart(40, '70')}`
const USDC = token(1)
const OLD = token(2)
const MUTE = token(3)
const PLAIN = token(4)
const who = (n: number): Address => `0x${(n + 16).toString(16).padStart(40, '3')}`
const BLOCKS = 120

const anvil = await useChain()
/** Time that was waited, in ms: finalized blocks count as complete once they were read again a minute later. */
let waited = 0
const now = () => Date.now() + waited
let rpc: QuirkyRpc
let source: TransferSource
let answers: TokenAnswers

const answersOf = (from: TransferSource) =>
  createTokenAnswers({
    source: from,
    now,
    checksum: (address) => getAddress(address),
    wellKnown: [{ symbol: 'USDC', names: [], address: USDC }],
  })

beforeAll(async () => {
  for (const address of [USDC, OLD, MUTE]) await placeEventToken(anvil, address)
  await setAnswer(anvil, OLD, 'function symbol()', stringToHex('OLD', { size: 32 }))
  await setAnswer(anvil, OLD, 'function name()', stringToHex('Old Token', { size: 32 }))
  await setAnswer(anvil, MUTE, 'function decimals()', '0x')
  await setAnswer(anvil, MUTE, 'function symbol()', encodeAbiParameters([{ type: 'string' }], ['US\u200bDC']))
  await anvil.rpc('anvil_setCode', [PLAIN, '0x00'])
  // Ten seconds a block, so that the last 15 minutes are 90 of them.
  for (let i = 0; i < BLOCKS; i++) {
    await anvil.rpc('evm_increaseTime', [10])
    await emit(anvil, USDC, [
      { from: who(i % 7), to: who(7 + (i % 5)), value: BigInt(i + 1) * 1_000_000n },
      { from: who(7), to: MUTE, value: 500_000n },
    ])
  }
  // Two recipients that occur once.
  await emit(anvil, USDC, [
    { from: who(7), to: who(20), value: 3_000_000n },
    { from: who(7), to: who(21), value: 4_000_000n },
  ])
  rpc = await startQuirkyRpc((method, params) => anvil.rpc(method, params))
  source = createTransferSource({ chainId: 31337, urls: [rpc.url], now })
  answers = answersOf(source)
  await answers.pulse({ token: USDC, window: '15m' })
  waited += 60_000
})
afterAll(async () => {
  await source.close()
  await rpc.stop()
})

const blockTime = async (block: number) =>
  Number(
    ((await anvil.rpc('eth_getBlockByNumber', [numberToHex(block), false])) as { timestamp: string })
      .timestamp,
  )

describe('createTokenAnswers', () => {
  test('default: reads the pulse of exactly the window', async () => {
    const pulse = await answers.pulse({ token: USDC, window: '15m' })
    const { window } = pulse
    expect(pulse.token).toMatchObject({
      address: getAddress(USDC),
      symbol: 'USDC',
      decimals: 6,
      decimalsSource: 'call',
    })
    expect(window).toMatchObject({
      name: '15m',
      complete: true,
      truncated: false,
      finality: 'latest',
      headLagBlocks: 0,
    })
    // The first block of the window is the first one later than its start.
    const start = Date.parse(window.toTime) / 1000 - 900
    expect(await blockTime(window.fromBlock)).toBeGreaterThan(start)
    expect(await blockTime(window.fromBlock - 1)).toBeLessThanOrEqual(start)
    expect(Date.parse(window.fromTime) / 1000).toBe(await blockTime(window.fromBlock))
    expect(pulse.transfers).toBe((window.toBlock - window.fromBlock + 1) * 2)
    expect(pulse.caveats).toEqual([
      'Balances change by other amounts than the transfers state: net flows are not changes of balances.',
      'The newest blocks are not final: a reorganisation may still replace them.',
    ])
  })

  test('behavior: whale rows carry times and address kinds', async () => {
    const whales = await answers.whales({ token: USDC, window: '15m', min: '119.5' })
    expect(whales.rows).toHaveLength(1)
    const [row] = whales.rows
    expect(row).toMatchObject({ amount: '120', raw: '120000000', block: whales.window.toBlock - 1 })
    expect(row?.time).toBe(new Date((await blockTime(row?.block ?? 0)) * 1000).toISOString())
    expect(row?.from).toMatchObject({ kind: 'eoa', address: getAddress(who((BLOCKS - 1) % 7)) })
  })

  test('behavior: flow sums to zero and recognises contracts', async () => {
    const flow = await answers.flow({ token: USDC, window: '15m' })
    expect(flow.sumToZero.ok).toBe(true)
    const contract = flow.topAccumulators.find((row) => row.address === getAddress(MUTE))
    expect(contract).toMatchObject({ kind: 'contract', counterparties: 1, outCount: 0 })
    // The test token keeps no balances, so its transfers do not match them.
    expect(flow.token.warnings).toEqual(['balances_do_not_fit_transfers'])
    expect((await answers.pulse({ token: USDC })).token.warnings).toEqual(['balances_do_not_fit_transfers'])
  })

  test('behavior: a cached token takes two log requests, one of them for the newest block', async () => {
    await answers.flow({ token: USDC, window: '15m' })
    await emit(anvil, USDC, [{ from: who(1), to: who(8), value: 1n }])
    rpc.calls.clear()
    const flow = await answers.flow({ token: USDC, window: '15m' })
    expect(flow.window.complete).toBe(true)
    const calls = Object.fromEntries(rpc.calls)
    expect(calls.eth_getLogs).toBe(2)
    // Without a fixed block time, finding the start of the window takes block requests.
    expect((calls.eth_getBlockByNumber ?? 0) + 1).toBeLessThanOrEqual(6)
  })

  test('behavior: reads bytes32 metadata and tolerates missing metadata', async () => {
    const old = await answers.pulse({ token: OLD })
    expect(old.token).toMatchObject({
      name: 'Old Token',
      symbol: 'OLD',
      decimalsSource: 'bytes32',
      decimals: 6,
    })
    const mute = await answers.pulse({ token: MUTE })
    expect(mute.token).toMatchObject({ symbol: 'USDC', decimals: null, decimalsSource: 'unknown' })
    expect(mute.token.warnings).toEqual(['decimals_unknown', 'symbol_of_another_token'])
    expect(mute.volume).toEqual({ raw: '0', amount: null })
  })

  test('behavior: every answer matches its schema', async () => {
    const query = { token: USDC, window: '15m' } as const
    PulseSchema.parse(await answers.pulse(query))
    WhalesSchema.parse(await answers.whales(query))
    FlowSchema.parse(await answers.flow(query))
    MomentumSchema.parse(await answers.momentum(query))
    // The chain is younger than two days.
    const day = await answers.momentum({ token: MUTE, window: '24h' })
    expect(MomentumSchema.parse(day).previousWindow.complete).toBe(false)
  })

  test('error: rejects an address without code and a contract that is not ERC-20', async () => {
    await expect(answers.pulse({ token: who(99) })).rejects.toMatchObject({
      name: 'TokenError',
      code: 'not_a_contract',
    })
    await expect(answers.flow({ token: PLAIN })).rejects.toMatchObject({
      name: 'TokenError',
      code: 'not_erc20',
    })
  })

  test('error: rejects a window that cannot be read in full, and a `min` that is too precise', async () => {
    rpc.quirks.down = true
    const asked = answers.flow({ token: USDC, deadlineAt: now() + 300 })
    await expect(asked).rejects.toMatchObject({ name: 'ChainError' })
    rpc.quirks.down = false
    await expect(answers.whales({ token: USDC, min: '0.0000001' })).rejects.toMatchObject({
      name: 'MoneyError',
    })
  })

  test('behavior: momentum compares adjacent windows of equal time', async () => {
    // Blocks of the newest minutes are 60 seconds apart, those before them 10 seconds.
    for (let i = 0; i < 4; i++) {
      await anvil.rpc('evm_increaseTime', [60])
      await emit(anvil, USDC, [{ from: who(1), to: who(8), value: 1_000_000n }])
    }
    const { window, previousWindow, metrics } = await answers.momentum({ token: USDC, window: '5m' })
    const end = Date.parse(window.toTime) / 1000
    expect(previousWindow.toBlock).toBe(window.fromBlock - 1)
    expect(await blockTime(previousWindow.fromBlock)).toBeGreaterThan(end - 600)
    expect(await blockTime(previousWindow.fromBlock - 1)).toBeLessThanOrEqual(end - 600)
    expect(await blockTime(previousWindow.toBlock)).toBeLessThanOrEqual(end - 300)
    const iso = async (block: number) => new Date((await blockTime(block)) * 1000).toISOString()
    expect(previousWindow).toMatchObject({
      fromTime: await iso(previousWindow.fromBlock),
      toTime: await iso(previousWindow.toBlock),
      complete: true,
    })
    const blocks = [window, previousWindow].map(({ fromBlock, toBlock }) => toBlock - fromBlock + 1)
    expect(blocks[0]).toBeLessThan((blocks[1] ?? 0) / 2)
    expect(metrics.transfers.previous).toBe((blocks[1] ?? 0) * 2)
  })

  test('behavior: a previous window without blocks is complete and has no times', async () => {
    await anvil.rpc('evm_increaseTime', [700])
    await anvil.rpc('evm_mine')
    const { previousWindow, metrics } = await answers.momentum({ token: USDC, window: '5m' })
    expect(previousWindow).toMatchObject({ fromTime: null, toTime: null, complete: true })
    expect(previousWindow.toBlock).toBe(previousWindow.fromBlock - 1)
    expect(metrics.transfers).toMatchObject({ previous: 0, pct: null, noPrior: true })
  })
})
