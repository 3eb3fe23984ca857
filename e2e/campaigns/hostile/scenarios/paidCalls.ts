import { encodeBase64Json } from '@touchstone402/shared'
import { challenge, deliver } from '../openSeller.ts'
import type { Scenario } from '../types.ts'

// Another query makes another call: an equal one would be a retry, which is not paid again.
const url = ({ origin, count }: { origin: string; count: number }) => `${origin}/weather?call=${count}`
const strike = { url, calls: 3, approved: 1, code: 'NO_DELIVERY_STRIKE' } as const
/** A fault that an honest seller may have once. */
const secondStrike = { url, calls: 4, approved: 2, code: 'NO_DELIVERY_STRIKE' } as const

/** Payments without a delivery, and many payments that are individually within the policy. */
export const paidCalls: readonly Scenario[] = [
  {
    category: 'retry_storm',
    name: 'The payment is answered with another challenge.',
    seats: ['account'],
    seller: { onPaid: (call, response) => challenge({}, [{}], call, 'both', response) },
    ...secondStrike,
  },
  {
    category: 'retry_storm',
    name: 'The payment is answered with a failed settlement and another challenge.',
    seats: ['account'],
    seller: {
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
    },
    ...secondStrike,
  },
  {
    category: 'fake_delivery',
    name: 'The payment is answered with an empty response.',
    seller: { onPaid: (_, response) => deliver(response, null, '') },
    ...strike,
  },
  {
    category: 'retry_storm',
    name: 'The payment is answered with a server error.',
    seller: { onPaid: (_, response) => response.writeHead(500).end('oops') },
    ...strike,
  },
  {
    category: 'retry_storm',
    name: 'The payment is answered with a request to retry.',
    seats: ['account'],
    seller: { onPaid: (_, response) => response.writeHead(429, { 'retry-after': '0' }).end('again') },
    ...secondStrike,
  },
  {
    category: 'retry_storm',
    name: 'The payment is answered with a broken connection.',
    // The other seats do not learn that the connection broke.
    seats: [],
    seller: { onPaid: ({ request }) => request.socket.destroy() },
    ...strike,
  },
  {
    category: 'retry_storm',
    name: 'The caller is drawn into many calls in one minute.',
    seller: {},
    policy: { velocity: { perHostPerMinute: 3 } },
    calls: 6,
    approved: 3,
    code: 'TOO_MANY_PAYMENTS',
  },
  {
    category: 'retry_storm',
    name: 'The caller is drawn into the same call in a loop.',
    seller: {},
    policy: { velocity: { identicalPerMinute: 3 } },
    calls: 6,
    approved: 3,
    code: 'PAYMENT_LOOP',
  },
  {
    category: 'budget_split',
    name: 'The caller is drawn into many small payments in a day.',
    seller: {},
    policy: { maxPerDayUsd: '0.03' },
    calls: 6,
    approved: 3,
    code: 'OVER_DAY_LIMIT',
  },
  {
    category: 'budget_split',
    name: 'The caller is drawn into many small payments to one host.',
    seller: {},
    policy: { maxPerHostPerDayUsd: '0.03' },
    calls: 6,
    approved: 3,
    code: 'OVER_HOST_DAY_LIMIT',
  },
  {
    category: 'budget_split',
    name: 'The caller is drawn into many small payments to many hosts.',
    seller: {},
    url: ({ port, count }) => `http://h${count}.localhost:${port}/weather`,
    policy: { maxPerDayUsd: '0.03' },
    calls: 6,
    approved: 3,
    code: 'OVER_DAY_LIMIT',
  },
  {
    category: 'budget_split',
    name: 'The caller is drawn into ten concurrent calls.',
    seller: {},
    url,
    policy: { maxTotalUsd: '0.03' },
    calls: 10,
    atOnce: true,
    approved: 3,
    code: 'OVER_TOTAL_LIMIT',
  },
]
