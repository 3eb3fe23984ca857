import type { Block, PublicClient } from 'viem'
import { expect, test } from 'vitest'
import { createConfirmation } from './createConfirmation.ts'

const unread = () => Promise.reject(new Error('not read here'))
const LIMITS = {
  waitMs: 50,
  reachMs: 50,
}
const chain = { getTransactionReceipt: unread, getBlock: unread }
const isDue = (confirm: 'before' | 'after' | null, isTrusted: boolean) => {
  const confirmation = createConfirmation({ chain, confirm, isTrusted: () => isTrusted, ...LIMITS })
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
  createConfirmation({
    chain: { getTransactionReceipt: unread, getBlock: getBlock as PublicClient['getBlock'] },
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
  const stuck = { getBlock: unread, getTransactionReceipt: hangs }
  const confirmation = createConfirmation({ chain: stuck, isTrusted: () => true, ...LIMITS })
  const claim = { asset: '0x01', from: '0x02', nonce: '0x03', payTo: '0x04', amountAtomic: '1' }
  expect(await confirmation.isShown(claim, '0xab')).toBe(false)
})
