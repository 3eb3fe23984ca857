import { expect, test } from 'vitest'
import { encodeBase64Json } from './base64Json.ts'
import { listSignable } from './signable.ts'
import { decodeChallenge } from './x402.ts'

const OWNER = `0x${'a'.repeat(40)}`
const THIEF = `0x${'b'.repeat(40)}`
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const V2 = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '10000',
  asset: USDC,
  payTo: OWNER,
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
}
const { amount, ...rest } = V2
const V1 = { ...rest, network: 'base', maxAmountRequired: amount, resource: 'https://api.example/a' }

const inHeader = (accepts: unknown, x402Version: unknown = 2) => ({
  header: encodeBase64Json({ x402Version, accepts }),
  body: null,
})
const inBody = (accepts: unknown, x402Version: unknown = 1) => ({
  header: null,
  body: JSON.stringify({ x402Version, accepts }),
})

test('default', () => {
  expect(listSignable(inHeader([V2]))).toMatchObject([
    { network: 'eip155:8453', payTo: OWNER, amountAtomic: amount, isLenient: false },
  ])
  expect(listSignable(inBody([V1]))).toMatchObject([{ network: 'eip155:8453', isLenient: false }])
  expect(listSignable({ header: null, body: '<html>' })).toEqual([])
})

const SPELLINGS: readonly (readonly [name: string, change: Readonly<Record<string, unknown>>])[] = [
  ['a number', { amount: 10_000 }],
  ['leading zeros', { amount: '00010000' }],
  ['hex', { amount: '0x2710' }],
  ['spaces', { amount: ' 10000 ' }],
  ['the field of v1', { amount: undefined, maxAmountRequired: '10000' }],
  ['a timeout as text', { maxTimeoutSeconds: '60' }],
  ['no timeout', { maxTimeoutSeconds: undefined }],
  ['a chain id with a zero', { network: 'eip155:08453' }],
  ['a name of v1', { network: 'base' }],
  ['a namespace in capitals', { network: 'EIP155:8453' }],
  ['a scheme in capitals', { scheme: 'EXACT' }],
  ['keys in another case', { payTo: undefined, PayTo: OWNER }],
  ['keys with underscores', { payTo: undefined, pay_to: OWNER }],
  ['an address with 0X', { payTo: OWNER.replace('0x', '0X') }],
  ['no extra', { extra: null }],
]

test.each(SPELLINGS)('behavior: reads an entry that only lenient clients take: %s', (_, change) => {
  const [offer, ...others] = listSignable(inHeader([{ ...V2, ...change }]))
  expect(others).toEqual([])
  expect(offer).toMatchObject({
    network: 'eip155:8453',
    scheme: 'exact',
    payTo: OWNER,
    amountAtomic: '10000',
  })
})

test('behavior: says which entries strict clients skip, and keeps the order', () => {
  const offers = listSignable(inHeader([{ ...V2, amount: 10_000, payTo: THIEF }, V2]))
  expect(offers.map(({ payTo, isLenient }) => [payTo, isLenient])).toEqual([
    [THIEF, true],
    [OWNER, false],
  ])
})

test('behavior: reads both receivers of an entry that names one by its key and one by the key in another case', () => {
  const offers = listSignable(inHeader([{ ...V2, PAYTO: THIEF }]))
  expect(offers.map(({ payTo }) => payTo)).toEqual([OWNER, THIEF])
})

test('behavior: reads documents without a version, or with one as text, as clients do', () => {
  expect(listSignable(inHeader([V2], undefined))).toHaveLength(1)
  expect(listSignable(inBody([V1], '1'))).toHaveLength(1)
  expect(listSignable(inHeader([V2], 3))).toEqual([])
})

test('behavior: reads each of several headers, more than 64 entries, and an entry that is no list', () => {
  const other = encodeBase64Json({ x402Version: 2, accepts: [{ ...V2, payTo: THIEF }] })
  const { header } = inHeader([V2])
  expect(listSignable({ header: `${header}, ${other}`, body: null })).toHaveLength(2)
  const many = Array.from({ length: 80 }, (_, index) => ({ ...V2, amount: `${index + 1}` }))
  expect(listSignable(inHeader(many))).toHaveLength(80)
  expect(listSignable(inHeader(V2))).toHaveLength(1)
})

test('behavior: states the deposit that one signature hands over', () => {
  const deposit = { ...V2, scheme: 'batch-settlement', extra: { ...V2.extra, minDeposit: '1000000000000' } }
  expect(listSignable(inHeader([deposit]))).toMatchObject([
    { amountAtomic: '10000', mostAtomic: '1000000000000' },
  ])
})

test('behavior: lists challenges of MPP, by its networks or by the method alone', () => {
  const request = (fields: object) =>
    encodeBase64Json(fields).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  const tempo = request({
    amount: '10000',
    currency: USDC,
    recipient: OWNER,
    methodDetails: { chainId: 4217 },
  })
  const stripe = request({ amount: '100', currency: 'usd' })
  const authenticate = [
    `Payment id="1", realm="a", method="tempo", intent="charge", request="${tempo}"`,
    `Payment id="2", realm="a", method="stripe", intent="charge", request="${stripe}"`,
  ].join(', ')
  expect(listSignable({ header: null, body: null, authenticate })).toMatchObject([
    { protocol: 'mpp', network: 'eip155:4217', payTo: OWNER, amountAtomic: '10000' },
    { protocol: 'mpp', network: 'mpp:stripe', asset: 'usd', payTo: 'mpp:stripe', amountAtomic: '100' },
  ])
})

test('error: an entry that no client could sign is left out', () => {
  const broken = [
    { amount: '0.01' },
    { amount: -5 },
    { amount: 0.5 },
    { payTo: 'alice.eth' },
    { asset: null },
  ]
  for (const change of broken) expect(listSignable(inHeader([{ ...V2, ...change }]))).toEqual([])
  expect(listSignable(inHeader([{ ...V2, scheme: 'deferred' }]))).toEqual([])
})

test('behavior: whatever is decoded strictly is signable', () => {
  const parts = {
    ...inHeader([V2, { ...V2, amount: '5' }]),
    body: JSON.stringify({ x402Version: 1, accepts: [V1] }),
  }
  const strict = decodeChallenge(parts).offers
  const signable = listSignable(parts)
  expect(signable.map(({ amountAtomic, source }) => [amountAtomic, source])).toEqual(
    strict.map(({ amountAtomic, source }) => [amountAtomic, source]),
  )
})

test('behavior: an entry that states two amounts is read by both', () => {
  const offers = listSignable(inHeader([{ ...V2, maxAmountRequired: '900000000' }]))
  expect(offers.map(({ amountAtomic, isLenient }) => [amountAtomic, isLenient])).toEqual([
    ['10000', false],
    ['900000000', true],
  ])
})

test('behavior: a challenge of MPP on a chain without a receiver is no offer, and an account in money is one', () => {
  const challenge = (method: string, fields: object) =>
    `Payment id="1", realm="a", method="${method}", intent="charge", request="${encodeBase64Json(fields).replaceAll('=', '')}"`
  const ask = (authenticate: string) => listSignable({ header: null, body: null, authenticate })
  expect(ask(challenge('evm', { amount: '1', currency: USDC, methodDetails: { chainId: 8453 } }))).toEqual([])
  const stripe = { amount: '100', currency: 'usd', methodDetails: { networkId: 'profile_1' } }
  expect(ask(challenge('stripe', stripe))).toMatchObject([{ payTo: 'mpp:stripe:profile_1' }])
})
