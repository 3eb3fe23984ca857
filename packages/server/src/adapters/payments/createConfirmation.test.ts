import { expect, test } from 'vitest'
import { createConfirmation } from './createConfirmation.ts'

const unread = () => Promise.reject(new Error('not read here'))
const chain = { getTransactionReceipt: unread, getBlockNumber: unread }
const isDue = (confirm: 'before' | 'after' | null, isTrusted: boolean) => {
  const confirmation = createConfirmation({ chain, confirm, isTrusted: () => isTrusted })
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
