import type { Flag, Term, UnbuyableReason } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { documentOf, NOON } from '../store/testing/records.ts'
import { listFunding } from './fundedPurchase.ts'

const SERVICE = `0x${'5e'.repeat(20)}`
const tier = (amount: string): Term => ({
  x402Version: 2,
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: `0x${'a1'.repeat(20)}`,
  amountAtomicMin: amount,
  amountAtomicMax: amount,
  method: 'GET',
})

function offered(flags: Flag[], reason: UnbuyableReason | null) {
  const [state] = documentOf('a.example', NOON).endpoints
  if (state === undefined) throw new Error('a document has an endpoint')
  const delivery = { status: 'never_bought', month: null, paidUsd: null, reason } as const
  const shopping = { network: 'eip155:8453', perCallUsd: 0.05 }
  const terms = [tier('1000'), tier('5000000')]
  return listFunding([{ ...state, flags, delivery, shopping, terms }], SERVICE)
}

test('rule 13: a seller with a cheap tier may fund a purchase of its unproven dear one', () => {
  expect(offered(['unproven'], null)).toMatchObject([{ amountUsd: expect.stringMatching(/^5\.00/) }])
  expect(offered(['unproven'], 'price_above_limit')).toHaveLength(1)
})

test('default: no payment is offered where nothing is unproven, or a purchase is ruled out', () => {
  expect(offered([], null)).toEqual([])
  expect(offered(['unproven'], 'high_risk')).toEqual([])
})
