import { encodeBase64Json } from '@touchstone402/shared'
import { challenge, deliver } from '../openSeller.ts'
import { approves, attack, eachNew, PENDING, type Scenario } from '../situations.ts'

const fake = attack('fake_delivery')
const storm = attack('retry_storm')

/** Retries of one call in integrations that cannot send a payment again. */
const pending = { account: 'PAYMENT_PENDING' } as const

/** Payments that are taken without delivery, and faults that make a caller pay again. */
export const deliveries: readonly Scenario[] = [
  fake('The answer says that no payment settled, so that the budget forgets it.', 'OVER_TOTAL_LIMIT', {
    integrations: ['account'],
    onPaid(_, response) {
      response.setHeader('PAYMENT-RESPONSE', encodeBase64Json({ success: false, network: 'base' }))
      deliver(response, null)
    },
    url: eachNew,
    policy: { maxTotalUsd: '0.02' },
    ...approves(2, 4),
  }),
  fake('The endpoint delivers twice and then nothing more.', 'NO_DELIVERY_STRIKE', {
    integrations: ['account'],
    onPaid: ({ payments }, response) =>
      payments <= 2 ? deliver(response, null) : response.writeHead(500).end(),
    url: eachNew,
    ...approves(3, 5),
  }),
  fake('Every second paid answer has no content.', 'NO_DELIVERY_STRIKE', {
    integrations: ['account'],
    onPaid: ({ payments }, response) => deliver(response, null, payments % 2 === 1 ? '{"sunny":1}' : ''),
    url: eachNew,
    ...approves(4, 6),
  }),
  fake('Each payment is answered with 204, which says that there is nothing to say.', 'NO_DELIVERY_STRIKE', {
    integrations: ['account'],
    onPaid: (_, response) => response.writeHead(204).end(),
    url: eachNew,
    ...approves(2, 4),
  }),
  fake('The answer breaks off after its first byte, and the caller asks again.', 'NO_ANSWER', {
    onPaid({ request }, response) {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{', () => request.socket.destroy())
    },
    ...approves(1, 3),
    integrationCodes: pending,
  }),
  storm('A server error asks for a retry at once, six times.', null, {
    onPaid: (_, response) => response.writeHead(503, { 'retry-after': '0' }).end('later'),
    ...approves(1, 6),
    integrationCodes: pending,
  }),
  storm('The connection is lost after each payment, and the caller asks again.', 'NO_ANSWER', {
    onPaid: ({ request }) => request.socket.destroy(),
    ...approves(1, 6),
    integrationCodes: { account: 'PAYMENT_PENDING' },
  }),
  storm('Each retry is met by a fresh challenge, as if nothing had been paid.', 'PAYMENT_NOT_ACCEPTED', {
    onPaid: (call, response) => challenge({}, [{}], call, 'both', response),
    ...approves(1, 5),
    integrationCodes: PENDING,
  }),
  storm('The paid call is answered by a lower price, to make a second payment look cheap.', 'OFFER_CHANGED', {
    terms: ({ payments }) => [payments === 0 ? {} : { amount: '5000' }],
    onPaid: (call, response) => challenge({}, [{ amount: '5000' }], call, 'both', response),
    ...approves(1, 3),
    integrationCodes: PENDING,
  }),
  storm('Ten equal calls at once are each asked to pay.', null, {
    ...approves(1, 10),
    atOnce: true,
    integrationCodes: PENDING,
  }),
  storm(
    'Each unpaid request is redirected to a new address of the origin, so that a retry looks like a new call.',
    'NO_ANSWER',
    {
      before: ({ path, request, challenges }, response) =>
        path === '/weather' &&
        request.headers['payment-signature'] === undefined &&
        request.headers['x-payment'] === undefined &&
        Boolean(response.writeHead(307, { location: `/weather?try=${challenges}` }).end()),
      onPaid: ({ request }) => request.socket.destroy(),
      policy: { maxStrikes: 100 },
      ...approves(1, 5), // The other integrations see only the final address.
      integrations: [],
    },
  ),
]
