import { BASE, BASE_USDC } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { readClaims, readNetwork } from './claims.ts'

const A = `0x${'a'.repeat(40)}`
const B = `0x${'b'.repeat(40)}`
const entry = (amount: string, changes = {}) => ({
  scheme: 'exact',
  network: BASE,
  asset: BASE_USDC,
  payTo: A,
  amount,
  ...changes,
})

test('behavior: the price of several tiers is the highest, as in challenges', () => {
  const tiers = [entry('0'), entry('10000'), entry('50000'), entry('20000')]
  expect(readClaims(tiers).claims).toMatchObject({ amountAtomic: '50000', priceUsd: 0.05 })
})

test('behavior: offers of another receiver, scheme or network are no tiers', () => {
  const others = [
    entry('90000', { payTo: B }),
    entry('90000', { scheme: 'upto' }),
    entry('90000', { network: 'eip155:137' }),
  ]
  expect(readClaims([entry('10000'), ...others]).claims.amountAtomic).toBe('10000')
  expect(readClaims([entry('oops'), ...others]).claims.amountAtomic).toBeNull()
  expect(readClaims([]).entry).toBeUndefined()
})

test('behavior: the price follows the decimals of the network', () => {
  const asset = 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75'
  const stellar = entry('500000', { network: 'stellar:pubnet', asset })
  expect(readClaims([stellar]).claims.priceUsd).toBe(0.05)
})

test.each([
  ['base', BASE],
  ['Base Sepolia', 'eip155:84532'],
  ['IoTeX', 'eip155:4689'],
  ['eip155:4689', 'eip155:4689'],
  ['nowhere', null],
  ['a b', null],
])('behavior: reads the network %o as %o', (network, caip2) => {
  expect(readNetwork({ network }, 'network')).toBe(caip2)
})
