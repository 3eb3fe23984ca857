import type { Scenario } from '../types.ts'
import { THIEF } from '../world.ts'

const row = 'address'
const redirect = 'redirect'
const trap = { terms: [{ payTo: THIEF, amount: '90000' }] }
const at = (path: string) => ({
  seller: trap,
  url: ({ origin }: { origin: string }) => origin + path,
  code: 'VERDICT_UNKNOWN' as const,
})

/** URLs that imitate the listed one to use its verdict, and redirects away from it. */
export const addresses: readonly Scenario[] = [
  { row, name: 'an escaped slash', ...at('/v1%2F..%2Fweather') },
  { row, name: 'a doubled slash', ...at('//weather') },
  { row, name: 'another letter case', ...at('/Weather') },
  { row, name: 'a trailing slash', ...at('/weather/') },
  { row, name: 'a path parameter', ...at('/weather;v=2') },
  { row, name: 'a doubly escaped character', ...at('/%2577eather') },
  {
    row,
    name: 'a trailing dot after the host',
    seller: { terms: [{ payTo: THIEF }] },
    url: ({ port }) => `http://api.localhost.:${port}/weather`,
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    row,
    name: 'a host with look-alike letters',
    seller: trap,
    url: ({ port }) => `http://\u0430pi.localhost:${port}/weather`,
    code: 'VERDICT_UNKNOWN',
  },
  {
    row,
    name: 'the IP address of the host',
    seller: trap,
    url: ({ port }) => `http://127.0.0.1:${port}/weather`,
    code: 'VERDICT_UNKNOWN',
  },
  {
    row,
    name: 'the IP address as one number',
    seller: trap,
    url: ({ port }) => `http://2130706433:${port}/weather`,
    code: 'VERDICT_UNKNOWN',
  },
  {
    row,
    name: 'a subdomain of the host',
    seller: trap,
    url: ({ port }) => `http://evil.api.localhost:${port}/weather`,
    code: 'VERDICT_UNKNOWN',
  },
  {
    row: redirect,
    name: 'to another host before payment',
    seller: {
      before: ({ elsewhere }, response) =>
        Boolean(response.writeHead(302, { location: `${elsewhere}/x` }).end()),
    },
    code: 'REDIRECT_REFUSED',
  },
  {
    row: redirect,
    name: 'to another host before payment, permanently',
    seller: {
      before: ({ elsewhere }, response) =>
        Boolean(response.writeHead(308, { location: `${elsewhere}/x` }).end()),
    },
    init: { method: 'POST', body: '{}' },
    code: 'REDIRECT_REFUSED',
  },
  {
    row: redirect,
    name: 'to another path, then to another host',
    seller: {
      before: ({ elsewhere, path }, response) =>
        Boolean(response.writeHead(307, { location: path === '/hop' ? `${elsewhere}/x` : '/hop' }).end()),
    },
    code: 'REDIRECT_REFUSED',
  },
  {
    row: redirect,
    name: 'to another host after payment, repeatedly',
    seller: {
      onPaid: ({ elsewhere }, response) => response.writeHead(307, { location: `${elsewhere}/x` }).end(),
    },
    calls: 3,
    approved: 1,
    code: 'REDIRECT_AFTER_PAYMENT',
  },
  {
    row: redirect,
    name: 'to its own path after payment, repeatedly',
    seller: { onPaid: (_, response) => response.writeHead(303, { location: '/weather?paid' }).end() },
    calls: 3,
    approved: 1,
    code: 'REDIRECT_AFTER_PAYMENT',
  },
]
