import { encodeBase64Json } from '@touchstone402/shared'
import { challenge, deliver } from '../openSeller.ts'
import type { Scenario } from '../types.ts'

const fake = 'fake_delivery'
const storm = 'retry_storm'
const url = ({ origin, count }: { origin: string; count: number }) => `${origin}/weather?call=${count}`
/** Retries of one call in seats that cannot send a payment again. */
const pending = { account: 'PAYMENT_PENDING' } as const

/** Payments that are taken without delivery, and faults that make a caller pay again. */
export const deliveries: readonly Scenario[] = [
  {
    category: fake,
    name: 'The answer says that no payment settled, so that the budget forgets it.',
    seats: ['account'],
    seller: {
      onPaid(_, response) {
        response.setHeader('PAYMENT-RESPONSE', encodeBase64Json({ success: false, network: 'base' }))
        deliver(response, null)
      },
    },
    url,
    policy: { maxTotalUsd: '0.02' },
    calls: 4,
    approved: 2,
    code: 'OVER_TOTAL_LIMIT',
  },
  {
    category: fake,
    name: 'The endpoint delivers twice and then nothing more.',
    seats: ['account'],
    seller: {
      onPaid: ({ payments }, response) =>
        payments <= 2 ? deliver(response, null) : response.writeHead(500).end(),
    },
    url,
    calls: 5,
    approved: 3,
    code: 'NO_DELIVERY_STRIKE',
  },
  {
    category: fake,
    name: 'Every second paid answer has no content.',
    seats: ['account'],
    seller: {
      onPaid: ({ payments }, response) => deliver(response, null, payments % 2 === 1 ? '{"sunny":1}' : ''),
    },
    url,
    calls: 4,
    approved: 2,
    code: 'NO_DELIVERY_STRIKE',
  },
  {
    category: fake,
    name: 'Each payment is answered with 204, which says that there is nothing to say.',
    seats: ['account'],
    seller: { onPaid: (_, response) => response.writeHead(204).end() },
    url,
    calls: 4,
    approved: 2,
    code: 'NO_DELIVERY_STRIKE',
  },
  {
    category: fake,
    name: 'The answer breaks off after its first byte, and the caller asks again.',
    seller: {
      onPaid({ request }, response) {
        response.writeHead(200, { 'content-length': '100' })
        response.write('{', () => request.socket.destroy())
      },
    },
    calls: 3,
    approved: 1,
    code: null,
    seatCodes: pending,
  },
  {
    category: storm,
    name: 'A server error asks for a retry at once, six times.',
    seller: { onPaid: (_, response) => response.writeHead(503, { 'retry-after': '0' }).end('later') },
    calls: 6,
    approved: 1,
    code: null,
    seatCodes: pending,
  },
  {
    category: storm,
    name: 'The connection is lost after each payment, and the caller asks again.',
    seller: { onPaid: ({ request }) => request.socket.destroy() },
    calls: 6,
    approved: 1,
    code: null,
    seatCodes: { account: 'PAYMENT_PENDING' },
  },
  {
    category: storm,
    name: 'Each retry is met by a fresh challenge, as if nothing had been paid.',
    seller: { onPaid: (call, response) => challenge({}, [{}], call, 'both', response) },
    calls: 5,
    approved: 1,
    code: 'PAYMENT_NOT_ACCEPTED',
    seatCodes: { hooks: 'PAYMENT_PENDING', account: 'PAYMENT_PENDING' },
  },
  {
    category: storm,
    name: 'The paid call is answered by a lower price, to make a second payment look cheap.',
    seller: {
      terms: ({ payments }) => [payments === 0 ? {} : { amount: '5000' }],
      onPaid: (call, response) => challenge({}, [{ amount: '5000' }], call, 'both', response),
    },
    calls: 3,
    approved: 1,
    code: 'OFFER_CHANGED',
    seatCodes: { hooks: 'PAYMENT_PENDING', account: 'PAYMENT_PENDING' },
  },
  {
    category: storm,
    name: 'Ten equal calls at once are each asked to pay.',
    seller: {},
    calls: 10,
    atOnce: true,
    approved: 1,
    code: null,
    seatCodes: { hooks: 'PAYMENT_PENDING', account: 'PAYMENT_PENDING' },
  },
  {
    category: storm,
    name: 'Each unpaid request is redirected to a new address of the origin, so that a retry looks like a new call.',
    seller: {
      before: ({ path, request, challenges }, response) =>
        path === '/weather' &&
        request.headers['payment-signature'] === undefined &&
        request.headers['x-payment'] === undefined &&
        Boolean(response.writeHead(307, { location: `/weather?try=${challenges}` }).end()),
      onPaid: ({ request }) => request.socket.destroy(),
    },
    policy: { maxStrikes: 100 },
    calls: 5,
    approved: 1,
    code: null,
    // The other seats are told the final address alone.
    seats: [],
  },
]
