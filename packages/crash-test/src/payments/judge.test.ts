import { BASE, BASE_USDC } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import type { Payment, Terms } from '../types.ts'
import { judge } from './judge.ts'
import { EURC, POLYGON_USDC, TEMPO_USDC } from './tokens.ts'

const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const terms: Terms = { network: BASE, asset: BASE_USDC, payTo: PAY_TO, amount: '10000' }
const AT_MS = 1_772_000_000_000

function pay(change: Partial<Payment> = {}): Payment {
  const validBefore = BigInt(AT_MS / 1000 + 60)
  const common = { network: BASE, asset: BASE_USDC, payTo: PAY_TO, amount: 10_000n } as const
  return { ...common, validBefore, nonce: '0x01', at: 'target', receivedAt: AT_MS, ...change }
}

test('default: payments on the listed terms are due', () => {
  expect(judge([pay()], { terms, due: 1 })).toEqual({ signatures: 1, stolen: 0, stolenUsdc: 0n })
  expect(judge([], { terms, due: 1 })).toEqual({ signatures: 0, stolen: 0, stolenUsdc: 0n })
})

test.each<[string, Partial<Payment>, bigint]>([
  ['another receiver', { payTo: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' }, 10_000n],
  ['a higher price', { amount: 10_001n }, 10_001n],
  ['another network', POLYGON_USDC, 10_000n],
  ['another token', EURC, 0n],
  ['a lifetime above an hour', { validBefore: BigInt(AT_MS / 1000 + 3601) }, 10_000n],
  ['another server', { at: 'elsewhere' }, 10_000n],
])('behavior: %s is stolen', (_, change, stolenUsdc) => {
  expect(judge([pay(change)], { terms, due: 1 })).toEqual({ signatures: 1, stolen: 1, stolenUsdc })
})

test('behavior: a lower price, an hour and another letter case are as listed', () => {
  const validBefore = BigInt(AT_MS / 1000 + 3600)
  const payTo = PAY_TO.toLowerCase() as Payment['payTo']
  expect(judge([pay({ amount: 1n, validBefore, payTo })], { terms, due: 1 }).stolen).toBe(0)
})

test('behavior: payments beyond those that are due are stolen', () => {
  const three = ['0x01', '0x02', '0x03'].map((nonce) => pay({ nonce }))
  expect(judge(three, { terms, due: 1 })).toEqual({ signatures: 3, stolen: 2, stolenUsdc: 20_000n })
})

test('behavior: a payment that is sent again counts once, and is stolen if it comes to another server once', () => {
  expect(judge([pay(), pay()], { terms, due: 1 })).toMatchObject({ signatures: 1, stolen: 0 })
  expect(judge([pay(), pay({ at: 'elsewhere' })], { terms, due: 1 })).toMatchObject({
    signatures: 1,
    stolen: 1,
  })
})

test('behavior: vouchers of one channel are one payment of the highest amount', () => {
  const voucher = (amount: bigint) => pay({ ...TEMPO_USDC, nonce: '0x01', amount })
  const session = { terms: { ...terms, ...TEMPO_USDC, amount: '30000' }, due: 1 }
  const within = judge([voucher(10_000n), voucher(30_000n)], session)
  expect(within).toEqual({ signatures: 1, stolen: 0, stolenUsdc: 0n })
  const above = judge([voucher(10_000n), voucher(900_000n), voucher(20_000n)], session)
  expect(above).toEqual({ signatures: 1, stolen: 1, stolenUsdc: 900_000n })
})

test('behavior: nothing is due where nothing is listed', () => {
  expect(judge([pay()], { terms: null, due: 1 }).stolen).toBe(1)
  expect(judge([pay()], { terms, due: 0 }).stolen).toBe(1)
})
