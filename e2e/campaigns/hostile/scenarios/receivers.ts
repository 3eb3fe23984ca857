import type { Scenario } from '../types.ts'
import { HONEST, THIEF } from '../world.ts'

// Same first and last digits as the honest receiver, which is what people compare.
const LOOKALIKE = `${HONEST.slice(0, 6)}${THIEF.slice(6, 38)}${HONEST.slice(38)}`

/** Receivers that change: permanently, per request, per client, or after the first payment. */
export const receivers: readonly Scenario[] = [
  {
    category: 'recipient_redirect',
    name: 'The receiver is changed after the check.',
    seller: { terms: [{ payTo: THIEF }] },
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    category: 'recipient_redirect',
    name: 'The receiver is changed after the first call.',
    seller: { terms: ({ challenges }) => [challenges === 0 ? {} : { payTo: THIEF }] },
    calls: 2,
    approved: 1,
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    category: 'recipient_redirect',
    name: 'The receiver is changed after the first call, at an unknown endpoint.',
    seller: { terms: ({ challenges }) => [challenges === 0 ? {} : { payTo: THIEF }] },
    verdict: null,
    calls: 2,
    approved: 1,
    code: 'RECEIVER_PIN_MISMATCH',
  },
  {
    category: 'recipient_redirect',
    name: 'The receiver is changed for agent clients.',
    seller: {
      terms: ({ request }) => [
        /node|undici/.test(request.headers['user-agent'] ?? '') ? { payTo: THIEF } : {},
      ],
    },
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    category: 'recipient_redirect',
    name: 'The receiver is changed for POST.',
    seller: { terms: ({ request }) => [request.method === 'POST' ? { payTo: THIEF } : {}] },
    init: { method: 'POST', body: '{}' },
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    category: 'recipient_redirect',
    name: 'The receiver is changed for calls with a query.',
    seller: { terms: ({ path }) => [path.includes('?') ? { payTo: THIEF } : {}] },
    url: ({ origin }) => `${origin}/weather?city=Oslo`,
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    category: 'recipient_redirect',
    name: 'The receiver is a look-alike address.',
    seller: { terms: [{ payTo: LOOKALIKE }] },
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    category: 'recipient_redirect',
    name: 'The receiver is one with a warning from the service.',
    seller: { terms: [{ payTo: THIEF }] },
    verdict: { verdict: 'avoid', flags: ['payto_changed'] },
    code: 'VERDICT_AVOID',
  },
  {
    category: 'recipient_redirect',
    name: 'The receiver is one that rotates, without approval.',
    seller: { terms: [{ payTo: THIEF }] },
    verdict: { verdict: 'caution', flags: ['payto_rotates'] },
    code: 'VERDICT_CAUTION',
  },
  {
    category: 'recipient_redirect',
    name: 'The receiver is one on the deny list of the policy.',
    seller: { terms: [{ payTo: THIEF }] },
    verdict: null,
    policy: { denyReceivers: [THIEF] },
    code: 'RECEIVER_NOT_ALLOWED',
  },
  {
    category: 'recipient_redirect',
    name: 'The receiver is changed after a redirect to an unchecked path of the origin.',
    seller: {
      before: ({ path }, response) =>
        path === '/weather' && Boolean(response.writeHead(307, { location: '/trap' }).end()),
      terms: [{ payTo: THIEF, amount: '50000' }],
    },
    code: 'VERDICT_UNKNOWN',
  },
]
