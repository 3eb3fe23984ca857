import {
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  parseAbi,
  type TransactionReceipt,
  toHex,
} from 'viem'
import { expect, test } from 'vitest'
import { isSettledBy } from './readSettlement.ts'

const ABI = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])
const [ASSET, PAYER, SELLER, OTHER] = ['a1', 'b2', 'c3', 'd4'].map((byte): Hex => `0x${byte.repeat(20)}`) as [
  Hex,
  Hex,
  Hex,
  Hex,
]
const NONCE = toHex(1, { size: 32 })
const CLAIM = { asset: ASSET, from: PAYER, nonce: NONCE, payTo: SELLER, amountAtomic: '5000' }

type Log = Pick<TransactionReceipt['logs'][number], 'address' | 'topics' | 'data'>
const used = (nonce = NONCE, authorizer = PAYER): Log => ({
  address: ASSET,
  topics: encodeEventTopics({
    abi: ABI,
    eventName: 'AuthorizationUsed',
    args: { authorizer, nonce },
  }) as Log['topics'],
  data: '0x',
})
const transfer = (to = SELLER, value = 5000n, from = PAYER): Log => ({
  address: ASSET,
  topics: encodeEventTopics({ abi: ABI, eventName: 'Transfer', args: { from, to } }) as Log['topics'],
  data: encodeAbiParameters([{ type: 'uint256' }], [value]),
})

const settles = (logs: Log[], status: 'success' | 'reverted' = 'success') =>
  isSettledBy(CLAIM, NONCE, {
    // Transactions of several authorizations are rare enough to make up.
    getTransactionReceipt: async () => ({ status, logs }) as TransactionReceipt,
  })

test('default: accepts the transfer that follows the use of the nonce', async () => {
  expect(await settles([used(), transfer()])).toBe(true)
  expect(await settles([transfer(OTHER), used(), transfer(), transfer(OTHER)])).toBe(true)
  expect(
    await settles([
      { ...used(), address: OTHER },
      used(),
      { ...transfer(OTHER), address: OTHER },
      transfer(),
    ]),
  ).toBe(true)
})

test('error: refuses a wrong amount, receiver, payer, nonce or asset, and a transaction that reverted', async () => {
  expect(await settles([used(), transfer()], 'reverted')).toBe(false)
  expect(await settles([used(), transfer(SELLER, 4999n)])).toBe(false)
  expect(await settles([used(), transfer(OTHER)])).toBe(false)
  expect(await settles([used(), transfer(SELLER, 5000n, OTHER)])).toBe(false)
  expect(await settles([used(toHex(2, { size: 32 })), transfer()])).toBe(false)
  expect(await settles([used(NONCE, OTHER), transfer()])).toBe(false)
  expect(await settles([used(), { ...transfer(), address: OTHER }])).toBe(false)
  expect(await settles([transfer()])).toBe(false)
  expect(await settles([used()])).toBe(false)
})

test('error: one transfer does not settle two authorizations of a transaction', async () => {
  expect(await settles([used(toHex(2, { size: 32 })), transfer(), used(), transfer(PAYER)])).toBe(false)
})
