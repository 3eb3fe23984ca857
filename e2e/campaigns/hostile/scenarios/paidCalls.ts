import { encodeBase64Json } from '@touchstone402/shared'
import { challenge, deliver } from '../openSeller.ts'
import { approves, attack, eachNew, type Scenario } from '../situations.ts'

const storm = attack('retry_storm')
const fake = attack('fake_delivery')
const split = attack('budget_split')

const strike = { url: eachNew, ...approves(1, 3) } as const
/** A fault that an honest seller may have once. */
const secondStrike = { url: eachNew, ...approves(2, 4) } as const

/** Payments without a delivery, and many payments that are individually within the policy. */
export const paidCalls: readonly Scenario[] = [
  storm('The payment is answered with another challenge.', 'NO_DELIVERY_STRIKE', {
    integrations: ['account'],
    onPaid: (call, response) => challenge({}, [{}], call, 'both', response),
    ...secondStrike,
  }),
  storm('The payment is answered with a failed settlement and another challenge.', 'NO_DELIVERY_STRIKE', {
    integrations: ['account'],
    onPaid(call, response) {
      const refusal = encodeBase64Json({
        success: false,
        errorReason: 'invalid_exact_evm_nonce',
        network: 'base',
      })
      response.setHeader('PAYMENT-RESPONSE', refusal)
      response.setHeader('X-PAYMENT-RESPONSE', refusal)
      challenge({}, [{}], call, 'both', response)
    },
    ...secondStrike,
  }),
  fake('The payment is answered with an empty response.', 'NO_DELIVERY_STRIKE', {
    onPaid: (_, response) => deliver(response, null, ''),
    ...secondStrike,
  }),
  storm('The payment is answered with a server error.', 'NO_DELIVERY_STRIKE', {
    onPaid: (_, response) => response.writeHead(500).end('oops'),
    ...strike,
  }),
  storm('The payment is answered with a request to retry.', 'NO_DELIVERY_STRIKE', {
    integrations: ['account'],
    onPaid: (_, response) => response.writeHead(429, { 'retry-after': '0' }).end('again'),
    ...secondStrike,
  }),
  storm('The payment is answered with a broken connection.', 'NO_DELIVERY_STRIKE', {
    // The other integrations do not learn that the connection broke.
    integrations: [],
    onPaid: ({ request }) => request.socket.destroy(),
    ...strike,
  }),
  storm('The caller is drawn into many calls in one minute.', 'TOO_MANY_PAYMENTS', {
    policy: { velocity: { perHostPerMinute: 3 } },
    ...approves(3, 6),
  }),
  storm('The caller is drawn into the same call in a loop.', 'PAYMENT_LOOP', {
    policy: { velocity: { identicalPerMinute: 3 } },
    ...approves(3, 6),
  }),
  split('The caller is drawn into many small payments in a day.', 'OVER_DAY_LIMIT', {
    policy: { maxPerDayUsd: '0.03' },
    ...approves(3, 6),
  }),
  split('The caller is drawn into many small payments to one host.', 'OVER_HOST_DAY_LIMIT', {
    policy: { maxPerHostPerDayUsd: '0.03' },
    ...approves(3, 6),
  }),
  split('The caller is drawn into many small payments to many hosts.', 'OVER_DAY_LIMIT', {
    url: ({ port, count }) => `http://h${count}.localhost:${port}/weather`,
    policy: { maxPerDayUsd: '0.03' },
    ...approves(3, 6),
  }),
  split('The caller is drawn into ten concurrent calls.', 'OVER_TOTAL_LIMIT', {
    url: eachNew,
    policy: { maxTotalUsd: '0.03' },
    ...approves(3, 10),
    atOnce: true,
  }),
]
