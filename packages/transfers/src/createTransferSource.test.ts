import { createPublicClient, custom, erc20Abi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ChainError } from './chainError.ts'
import { addressAt, txHashAt, valueAt } from './columns/columns.ts'
import { createTransferSource } from './createTransferSource.ts'
import { profileReceiver } from './figures/profileReceiver.ts'
import { emit, placeEventToken } from './testing/eventToken.ts'
import { useChain } from './testing/useChain.ts'
import type { Address, TransferSource } from './types.ts'

const TOKEN: Address = '0x00000000000000000000000000000000000700c5'
const RECEIVER: Address = '0x00000000000000000000000000000000000000aa'
const someone = (n: number): Address => `0x${n.toString(16).padStart(40, '1')}`

const anvil = await useChain()
let source: TransferSource

beforeAll(async () => {
  await placeEventToken(anvil, TOKEN)
  source = createTransferSource({ chainId: 31337, urls: [anvil.url], now: Date.now })
})
afterAll(async () => {
  await source.close()
})

describe('createTransferSource', () => {
  test('default: reads the transfers of a block', async () => {
    const value = 2n ** 200n + 7n
    const hash = await emit(anvil, TOKEN, [
      { from: someone(1), to: RECEIVER, value: 5n },
      { from: someone(2), to: someone(1), value },
    ])
    const { latest } = await source.heads()
    const { columns, coverage } = await source.transfers({
      token: TOKEN,
      fromBlock: latest.number,
      toBlock: latest.number,
    })
    expect(coverage.complete).toBe(true)
    expect(columns.count).toBe(2)
    expect([valueAt(columns, 0), valueAt(columns, 1)]).toEqual([5n, value])
    expect(addressAt(columns, columns.to[0] ?? -1)).toBe(RECEIVER)
    expect(txHashAt(columns, columns.tx[1] ?? -1)).toBe(hash)
  })

  test('behavior: profiles a receiver from its transfers', async () => {
    const payers = Array.from({ length: 10 }, (_, i) => someone(100 + i))
    for (let i = 0; i < 5; i++)
      await emit(
        anvil,
        TOKEN,
        payers.map((from) => ({ from, to: RECEIVER, value: 1000n })),
      )
    const profile = profileReceiver(
      await source.receiver({ token: TOKEN, receiver: RECEIVER, historyDays: 90 }),
    )
    expect(profile).toMatchObject({ category: 'established', isContract: false, payers: 11, receipts: 51 })
    expect(profile.lastReceiptAt).toBe((await source.heads()).latest.time)
    expect(profile.lastOutflowAt).toBeNull()
    await emit(anvil, TOKEN, [{ from: RECEIVER, to: someone(200), value: 7n }])
    const spent = profileReceiver(
      await source.receiver({ token: TOKEN, receiver: RECEIVER, historyDays: 90 }),
    )
    expect(spent.lastOutflowAt).toBe((await source.heads()).latest.time)
  })

  test('behavior: a viem client on its requests falls back to another RPC, and tells what is not there', async () => {
    const both = createTransferSource({
      chainId: 31337,
      urls: ['http://127.0.0.1:9/', anvil.url],
      now: Date.now,
    })
    const client = createPublicClient({
      transport: custom(
        { request: ({ method, params }) => both.request(method, params ?? []) },
        { retryCount: 0 },
      ),
    })
    const { number } = await client.getBlock({ blockTag: 'latest' })
    const symbolOf = (address: Address) =>
      client.readContract({ address, abi: erc20Abi, functionName: 'symbol' })
    expect(Number(number)).toBe((await source.heads()).latest.number)
    expect(await symbolOf(TOKEN)).toBe('USDC')
    await expect(symbolOf(RECEIVER)).rejects.toThrow('returned no data')
    const hash = `0x${'ab'.repeat(32)}` as const
    await expect(client.getTransactionReceipt({ hash })).rejects.toMatchObject({
      name: 'TransactionReceiptNotFoundError',
    })
    await both.close()
  })

  test('behavior: keeps the 512 series that were read last', async () => {
    const own = createTransferSource({ chainId: 31337, urls: [anvil.url], now: Date.now })
    await anvil.rpc('anvil_mine', ['0x60'])
    const heads = await own.heads()
    const requestsFor = async (n: number) => {
      const query = {
        token: TOKEN,
        to: someone(0x300 + n),
        fromBlock: 0,
        toBlock: heads.finalized.number,
        heads,
      }
      return (await own.transfers(query)).coverage.requests
    }
    expect(await requestsFor(0)).toBeGreaterThan(0)
    for (let n = 1; n <= 511; n++) await requestsFor(n)
    expect(await requestsFor(0)).toBe(0)
    await requestsFor(512)
    expect(await requestsFor(0)).toBe(0)
    expect(await requestsFor(1)).toBeGreaterThan(0)
    await own.close()
  })

  test('error: rejects an RPC on another chain', async () => {
    const wrong = createTransferSource({ chainId: 8453, urls: [anvil.url], now: Date.now })
    await expect(wrong.heads()).rejects.toMatchObject({ name: 'ChainError', code: 'disagreement' })
    await wrong.close()
  })

  test('error: rejects with a ChainError when no RPC is reachable', async () => {
    const lost = createTransferSource({ chainId: 8453, urls: ['http://127.0.0.1:9/'], now: Date.now })
    await expect(lost.heads()).rejects.toBeInstanceOf(ChainError)
    await lost.close()
  })
})
