import type { Block, PublicClient } from 'viem'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { createConfirmation } from './createConfirmation.ts'
import { createPaymentContext } from './testing/createPaymentContext.ts'

const unread = () => Promise.reject(new Error('not read here'))
const LIMITS = {
  waitMs: 50,
  reachMs: 50,
  searchMs: 50,
}
const { ctx } = createPaymentContext(createMemoryStore())
const chain = { getTransactionReceipt: unread, getBlock: unread, getLogs: unread, readContract: unread }
const isDue = (confirm: 'before' | 'after' | null, isTrusted: boolean) => {
  const { ctx } = createPaymentContext(createMemoryStore(), { confirmSettlements: confirm })
  const confirmation = createConfirmation(ctx, { chain, isTrusted: () => isTrusted, ...LIMITS })
  return ['99999', '100000'].map(confirmation.isDue)
}

test('default: answers from $0.10 on wait for the chain', () => {
  expect(isDue(null, true)).toEqual([false, true])
})

test('behavior: the setting decides for all prices', () => {
  expect([isDue('before', true), isDue('after', true)]).toEqual([
    [true, true],
    [false, false],
  ])
})

test('behavior: every answer waits while the facilitator is not trusted, whatever the setting', () => {
  for (const confirm of ['before', 'after', null] as const)
    expect(isDue(confirm, false)).toEqual([true, true])
})

const hangs = () => new Promise<never>(() => {})
/** Reaches for a chain whose latest block has an age in seconds. */
const reach = (getBlock: () => Promise<unknown>) =>
  createConfirmation(ctx, {
    chain: { ...chain, getBlock: getBlock as PublicClient['getBlock'] },
    isTrusted: () => true,
    ...LIMITS,
  }).reach()
const blockAged = (seconds: number) => async () =>
  ({ timestamp: BigInt(Math.floor(Date.now() / 1000) - seconds) }) as Block

test('error: a chain that cannot be read, does not respond or stands still is out of reach', async () => {
  await expect(reach(blockAged(50))).resolves.toBeUndefined()
  await expect(reach(blockAged(-600))).resolves.toBeUndefined()
  await expect(reach(blockAged(62))).rejects.toThrow(/6\d s old/)
  await expect(reach(unread)).rejects.toThrow('not read here')
  await expect(reach(hangs)).rejects.toThrow('did not respond in time')
})

test('error: a receipt that never comes does not hold up the answer', async () => {
  const stuck = { ...chain, getTransactionReceipt: hangs }
  const confirmation = createConfirmation(ctx, { chain: stuck, isTrusted: () => true, ...LIMITS })
  const claim = { asset: '0x01', from: '0x02', nonce: '0x03', payTo: '0x04', amountAtomic: '1' }
  expect(await confirmation.isShown(claim, '0xab')).toBe(false)
})

const CLAIM = {
  asset: '0x01',
  from: '0x02',
  nonce: '0x03',
  payTo: '0x04',
  amountAtomic: '1',
  validBefore: 2_000_000_000,
  claimedAt: 0,
  sentAt: 0,
  txHash: null,
}

/** Looks for the settlement of a payment on a chain that a block is added to for each reading. */
function searchOn(
  read: { isUsed?: boolean; isFrozen?: boolean; isBehind?: boolean; isDown?: boolean },
  searchMs = 10_000,
) {
  let blocks = 0n
  const getBlock = async () => {
    if (read.isDown) throw new Error('down')
    blocks += 1n
    const ageMs = read.isBehind ? 40_000 : -2000
    return { number: read.isFrozen ? 1n : blocks, timestamp: BigInt(Math.floor((Date.now() - ageMs) / 1000)) }
  }
  const confirmation = createConfirmation(ctx, {
    chain: {
      ...chain,
      getBlock: getBlock as never,
      readContract: (async () => read.isUsed ?? false) as never,
    },
    isTrusted: () => true,
    ...LIMITS,
    searchMs,
  })
  return { confirmation, blocks: () => blocks }
}

test('default: a payment that is unused after a few blocks is unused', async () => {
  const { confirmation, blocks } = searchOn({})
  expect(await confirmation.search(CLAIM)).toBe('unused')
  expect(blocks()).toBe(3n)
})

test('error: a chain that makes no blocks, is behind, or cannot be read or explained says nothing', async () => {
  expect(await searchOn({ isFrozen: true }, 20).confirmation.search(CLAIM)).toBe('unread')
  expect(await searchOn({ isBehind: true }, 1200).confirmation.search(CLAIM)).toBe('unread')
  expect(await searchOn({ isDown: true }, 20).confirmation.search(CLAIM)).toBe('unread')
  // The nonce is used, and the node has no logs.
  expect(await searchOn({ isUsed: true }, 20).confirmation.search(CLAIM)).toBe('unread')
})

test('behavior: a peek reads once, and finds nothing on a chain that is down', async () => {
  const { confirmation, blocks } = searchOn({})
  expect([await confirmation.peek(CLAIM), blocks()]).toEqual([undefined, 1n])
  expect(await searchOn({ isDown: true }).confirmation.peek(CLAIM)).toBeUndefined()
})
