import { encodeBase64Json } from '@touchstone402/shared'
import { challenge, deliver } from '../openSeller.ts'
import type { Scenario } from '../types.ts'

const row = 'delivery'
const budget = 'budget'
// Another query makes another call: an equal one would be a retry, which is not paid again.
const url = ({ origin, count }: { origin: string; count: number }) => `${origin}/weather?call=${count}`
const strike = { url, calls: 3, approved: 1, code: 'NO_DELIVERY_STRIKE' } as const
/** A fault that an honest seller may have once. */
const secondStrike = { url, calls: 4, approved: 2, code: 'NO_DELIVERY_STRIKE' } as const

/** Payments without a delivery, and many payments that are individually within the policy. */
export const paidCalls: readonly Scenario[] = [
  {
    row,
    name: 'another challenge after each payment',
    seller: { onPaid: (call, response) => challenge({}, [{}], call, 'both', response) },
    ...secondStrike,
  },
  {
    row,
    name: 'a settlement that is reported as failed',
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
    row,
    name: 'an empty response',
    seller: { onPaid: (_, response) => deliver(response, null, '') },
    ...strike,
  },
  {
    row,
    name: 'a server error',
    seller: { onPaid: (_, response) => response.writeHead(500).end('oops') },
    ...strike,
  },
  {
    row,
    name: 'a request to retry',
    seller: { onPaid: (_, response) => response.writeHead(429, { 'retry-after': '0' }).end('again') },
    ...secondStrike,
  },
  {
    row,
    name: 'a broken connection',
    seller: { onPaid: ({ request }) => request.socket.destroy() },
    ...strike,
  },
  {
    row: budget,
    name: 'many calls in one minute',
    seller: {},
    policy: { velocity: { perHostPerMinute: 3 } },
    calls: 6,
    approved: 3,
    code: 'TOO_MANY_PAYMENTS',
  },
  {
    row: budget,
    name: 'the same call in a loop',
    seller: {},
    policy: { velocity: { identicalPerMinute: 3 } },
    calls: 6,
    approved: 3,
    code: 'PAYMENT_LOOP',
  },
  {
    row: budget,
    name: 'many small payments in a day',
    seller: {},
    policy: { maxPerDayUsd: '0.03' },
    calls: 6,
    approved: 3,
    code: 'OVER_DAY_LIMIT',
  },
  {
    row: budget,
    name: 'many small payments to one host',
    seller: {},
    policy: { maxPerHostPerDayUsd: '0.03' },
    calls: 6,
    approved: 3,
    code: 'OVER_HOST_DAY_LIMIT',
  },
  {
    row: budget,
    name: 'many small payments to many hosts',
    seller: {},
    url: ({ port, count }) => `http://h${count}.localhost:${port}/weather`,
    policy: { maxPerDayUsd: '0.03' },
    calls: 6,
    approved: 3,
    code: 'OVER_DAY_LIMIT',
  },
  {
    row: budget,
    name: 'ten concurrent calls',
    seller: {},
    url,
    policy: { maxTotalUsd: '0.03' },
    calls: 10,
    atOnce: true,
    approved: 3,
    code: 'OVER_TOTAL_LIMIT',
  },
]
