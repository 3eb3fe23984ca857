import type { Scenario } from '../types.ts'
import { HONEST, THIEF } from '../world.ts'

const row = 'receiver'
// Same first and last digits as the honest receiver, which is what people compare.
const LOOKALIKE = `${HONEST.slice(0, 6)}${THIEF.slice(6, 38)}${HONEST.slice(38)}`

/** Receivers that change: permanently, per request, per client, or after the first payment. */
export const receivers: readonly Scenario[] = [
  {
    row,
    name: 'swapped after the check',
    seller: { terms: [{ payTo: THIEF }] },
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    row,
    name: 'swapped after the first call',
    seller: { terms: ({ challenges }) => [challenges === 0 ? {} : { payTo: THIEF }] },
    calls: 2,
    approved: 1,
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    row,
    name: 'swapped at an endpoint that nobody knows, after the first call',
    seller: { terms: ({ challenges }) => [challenges === 0 ? {} : { payTo: THIEF }] },
    verdict: null,
    calls: 2,
    approved: 1,
    code: 'RECEIVER_PIN_MISMATCH',
  },
  {
    row,
    name: 'swapped for the clients of agents',
    seller: {
      terms: ({ request }) => [
        /node|undici/.test(request.headers['user-agent'] ?? '') ? { payTo: THIEF } : {},
      ],
    },
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    row,
    name: 'swapped for POST',
    seller: { terms: ({ request }) => [request.method === 'POST' ? { payTo: THIEF } : {}] },
    init: { method: 'POST', body: '{}' },
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    row,
    name: 'swapped for calls with a query',
    seller: { terms: ({ path }) => [path.includes('?') ? { payTo: THIEF } : {}] },
    url: ({ origin }) => `${origin}/weather?city=Oslo`,
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    row,
    name: 'one that looks alike',
    seller: { terms: [{ payTo: LOOKALIKE }] },
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    row,
    name: 'one that the service warns of',
    seller: { terms: [{ payTo: THIEF }] },
    verdict: { verdict: 'avoid', flags: ['payto_changed'] },
    code: 'VERDICT_AVOID',
  },
  {
    row,
    name: 'one that rotates, which nobody approved',
    seller: { terms: [{ payTo: THIEF }] },
    verdict: { verdict: 'caution', flags: ['payto_rotates'] },
    code: 'VERDICT_CAUTION',
  },
  {
    row,
    name: 'one that the policy denies',
    seller: { terms: [{ payTo: THIEF }] },
    verdict: null,
    policy: { denyReceivers: [THIEF] },
    code: 'RECEIVER_NOT_ALLOWED',
  },
  {
    row,
    name: 'swapped after a redirect within the origin, to a path that was never checked',
    seller: {
      before: ({ path }, response) =>
        path === '/weather' && Boolean(response.writeHead(307, { location: '/trap' }).end()),
      terms: [{ payTo: THIEF, amount: '50000' }],
    },
    code: 'VERDICT_UNKNOWN',
  },
]
