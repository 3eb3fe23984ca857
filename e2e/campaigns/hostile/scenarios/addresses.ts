import type { Scenario } from '../types.ts'
import { THIEF } from '../world.ts'

const trap = { terms: [{ payTo: THIEF, amount: '90000' }] }
const at = (path: string) => ({
  seller: trap,
  url: ({ origin }: { origin: string }) => origin + path,
  code: 'VERDICT_UNKNOWN' as const,
})

/** URLs that imitate the listed one to use its verdict, and redirects away from it. */
export const addresses: readonly Scenario[] = [
  { category: 'lookalike_domain', name: 'The URL has an escaped slash.', ...at('/v1%2F..%2Fweather') },
  { category: 'lookalike_domain', name: 'The URL has a doubled slash.', ...at('//weather') },
  { category: 'lookalike_domain', name: 'The URL has another letter case.', ...at('/Weather') },
  { category: 'lookalike_domain', name: 'The URL has a trailing slash.', ...at('/weather/') },
  { category: 'lookalike_domain', name: 'The URL has a path parameter.', ...at('/weather;v=2') },
  { category: 'lookalike_domain', name: 'The URL has a doubly escaped character.', ...at('/%2577eather') },
  {
    category: 'lookalike_domain',
    name: 'The URL has a trailing dot after the host.',
    seller: { terms: [{ payTo: THIEF }] },
    url: ({ port }) => `http://api.localhost.:${port}/weather`,
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    category: 'lookalike_domain',
    name: 'The URL has a host with look-alike letters.',
    seller: trap,
    url: ({ port }) => `http://\u0430pi.localhost:${port}/weather`,
    code: 'VERDICT_UNKNOWN',
  },
  {
    category: 'lookalike_domain',
    name: 'The URL has the IP address of the host.',
    seller: trap,
    url: ({ port }) => `http://127.0.0.1:${port}/weather`,
    code: 'VERDICT_UNKNOWN',
  },
  {
    category: 'lookalike_domain',
    name: 'The URL has the IP address as one number.',
    seller: trap,
    url: ({ port }) => `http://2130706433:${port}/weather`,
    code: 'VERDICT_UNKNOWN',
  },
  {
    category: 'lookalike_domain',
    name: 'The URL has a subdomain of the host.',
    seller: trap,
    url: ({ port }) => `http://evil.api.localhost:${port}/weather`,
    code: 'VERDICT_UNKNOWN',
  },
  {
    category: 'recipient_redirect',
    name: 'The seller redirects to another host before payment.',
    // The other seats are told the final address alone.
    seats: [],
    seller: {
      before: ({ elsewhere }, response) =>
        Boolean(response.writeHead(302, { location: `${elsewhere}/x` }).end()),
    },
    code: 'REDIRECT_REFUSED',
  },
  {
    category: 'recipient_redirect',
    name: 'The seller redirects to another host before payment, permanently.',
    // The other seats are told the final address alone.
    seats: [],
    seller: {
      before: ({ elsewhere }, response) =>
        Boolean(response.writeHead(308, { location: `${elsewhere}/x` }).end()),
    },
    init: { method: 'POST', body: '{}' },
    code: 'REDIRECT_REFUSED',
  },
  {
    category: 'recipient_redirect',
    name: 'The seller redirects to another path, then to another host.',
    // The other seats are told the final address alone.
    seats: [],
    seller: {
      before: ({ elsewhere, path }, response) =>
        Boolean(response.writeHead(307, { location: path === '/hop' ? `${elsewhere}/x` : '/hop' }).end()),
    },
    code: 'REDIRECT_REFUSED',
  },
  {
    category: 'recipient_redirect',
    name: 'The seller redirects to another host after payment, repeatedly.',
    seatCodes: { hooks: null, account: 'PAYMENT_PENDING' },
    seller: {
      onPaid: ({ elsewhere }, response) => response.writeHead(307, { location: `${elsewhere}/x` }).end(),
    },
    calls: 3,
    approved: 1,
    code: 'REDIRECT_AFTER_PAYMENT',
  },
  {
    category: 'recipient_redirect',
    name: 'The seller redirects to its own path after payment, repeatedly.',
    seatCodes: { hooks: null, account: 'PAYMENT_PENDING' },
    seller: { onPaid: (_, response) => response.writeHead(303, { location: '/weather?paid' }).end() },
    calls: 3,
    approved: 1,
    code: 'REDIRECT_AFTER_PAYMENT',
  },
]
