import { encodeBase64Json } from '@touchstone402/shared'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPayment } from './readPayment.ts'
import { createTerms } from './terms.ts'

const TERMS = createTerms('trust', {
  network: 'eip155:8453',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  publicUrl: 'https://trust.example',
  priceUsd: '0.005',
})

const PAYLOAD = {
  signature: `0x${'ab'.repeat(65)}`,
  authorization: {
    from: `0x${'Cd'.repeat(20)}`,
    to: TERMS.payTo.toLowerCase(),
    value: '5000',
    validAfter: '0',
    validBefore: '1800000000',
    nonce: `0x${'EF'.repeat(32)}`,
  },
}
const V2 = { x402Version: 2, accepted: TERMS.v2, payload: PAYLOAD }
const V1 = { x402Version: 1, scheme: 'exact', network: 'base', payload: PAYLOAD }

test('default: reads v2 and v1 payments', () => {
  const read = { value: 5000n, validAfter: 0, validBefore: 1_800_000_000, nonce: `0x${'ef'.repeat(32)}` }
  expect(readPayment(encodeBase64Json(V2), 2, TERMS)).toMatchObject({ version: 2, ...read })
  expect(readPayment(encodeBase64Json(V1), 1, TERMS)).toMatchObject({ version: 1, ...read })
})

test('behavior: sends the facilitator only fields that were checked', () => {
  const payment = readPayment(
    encodeBase64Json({
      ...V2,
      accepted: { ...TERMS.v2, extra: { name: 'Other', gas: 'free' }, maxTimeoutSeconds: 9 },
      resource: { url: 'https://evil.example/' },
      extensions: { bazaar: { info: 'evil' } },
      payload: {
        ...PAYLOAD,
        permit2Authorization: {},
        authorization: { ...PAYLOAD.authorization, more: 'evil' },
      },
    }),
    2,
    TERMS,
  )
  if (typeof payment === 'string') throw new Error(payment)
  expect(JSON.stringify(payment.call)).not.toContain('evil')
  expect(payment.call.payload).toEqual({
    x402Version: 2,
    accepted: TERMS.v2,
    resource: TERMS.resource,
    extensions: TERMS.extensions,
    payload: PAYLOAD,
  })
  expect(payment.call.requirements).toBe(TERMS.v2)
})

test('error: refuses a payment with any one field wrong, without throwing', () => {
  const junk = fc.oneof(
    fc.anything({ withBigInt: false, maxDepth: 2 }),
    fc.string(),
    fc.constantFrom('5001', '05000', '5e3', ' 5000', '5000n', '-1', null, 5000, '0x1388', '\u0665'),
  )
  const paths = [
    ['x402Version'],
    ['accepted'],
    ['accepted', 'scheme'],
    ['accepted', 'network'],
    ['accepted', 'asset'],
    ['accepted', 'payTo'],
    ['accepted', 'amount'],
    ['payload'],
    ['payload', 'signature'],
    ['payload', 'authorization'],
    ...Object.keys(PAYLOAD.authorization).map((name) => ['payload', 'authorization', name]),
  ]
  fc.assert(
    fc.property(fc.constantFrom(...paths), junk, (path, value) => {
      const document: Record<string, unknown> = structuredClone(V2)
      const last = path.at(-1) ?? ''
      const holder = path
        .slice(0, -1)
        .reduce((inner, name) => inner[name] as Record<string, unknown>, document)
      // Any digits are valid seconds; `createPaywall` checks the time.
      fc.pre(!(last.startsWith('valid') && typeof value === 'string' && /^\d+$/.test(value)))
      // Skip junk that equals the right value.
      fc.pre(JSON.stringify(holder[last]) !== JSON.stringify(value))
      holder[last] = value
      expect(typeof readPayment(encodeBase64Json(document), 2, TERMS)).toBe('string')
    }),
  )
})

test('error: never throws for any text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.json().map(encodeBase64Json)), (text) => {
      expect(typeof readPayment(text, 2, TERMS)).toBe('string')
      expect(typeof readPayment(text, 1, TERMS)).toBe('string')
    }),
  )
})
