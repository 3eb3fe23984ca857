import type { ServerResponse } from 'node:http'
import { approves, at, atHost, attack, type Scenario, type UrlOf } from '../situations.ts'
import { THIEF } from '../world.ts'

const lookalike = attack('lookalike_domain')
const redirect = attack('recipient_redirect')

const trap = { payTo: THIEF, amount: '90000' }
/** Another address, which has no verdict. */
const unknown = (name: string, url: UrlOf) => lookalike(name, 'VERDICT_UNKNOWN', { ...trap, url })
/** Addresses that are the listed one once they are parsed: they borrow nothing but its own verdict. */
const same = (name: string, url: UrlOf) => lookalike(name, 'RECEIVER_NOT_CHECKED', { payTo: THIEF, url })
/** The other integrations see only the final address. */
const movesOn = { integrations: [] } as const
const afterPayment = {
  integrationCodes: { account: 'PAYMENT_PENDING' },
  ...approves(1, 3),
} as const
const leaveTo = (status: number, location: string, response: ServerResponse) =>
  Boolean(response.writeHead(status, { location }).end())

/** URLs that imitate the listed one to use its verdict, and redirects away from it. */
export const addresses: readonly Scenario[] = [
  unknown('The URL has an escaped slash.', at('/v1%2F..%2Fweather')),
  unknown('The URL has a doubled slash.', at('//weather')),
  unknown('The URL has another letter case.', at('/Weather')),
  unknown('The URL has a trailing slash.', at('/weather/')),
  unknown('The URL has a path parameter.', at('/weather;v=2')),
  unknown('The URL has a doubly escaped character.', at('/%2577eather')),
  same('The URL has a trailing dot after the host.', atHost('api.localhost.')),
  unknown('The URL has a host with look-alike letters.', atHost('\u0430pi.localhost')),
  unknown('The URL has the IP address of the host.', atHost('127.0.0.1')),
  unknown('The URL has the IP address as one number.', atHost('2130706433')),
  unknown('The URL has a subdomain of the host.', atHost('evil.api.localhost')),
  unknown(
    'The URL has the listed host as the first labels of another.',
    atHost('api.localhost.evil.localhost'),
  ),
  unknown('The URL has the parent of the listed host.', atHost('localhost')),
  unknown('The URL has the listed path in its fragment.', at('/trap#/weather')),
  unknown('The URL has the listed path and an escaped question mark.', at('/weather%3Fcity')),
  unknown('The URL has an escaped zero byte after the listed path.', at('/weather%00')),
  unknown('The URL has the listed path in its query.', at('/trap?path=/weather')),
  same('The URL has full-width letters, which are the listed host.', atHost('\uff41pi.localhost')),
  same('The URL has a soft hyphen, which is no part of the host.', atHost('a\u00adpi.localhost')),
  same('The URL has backslashes for slashes.', ({ port }) => `http:\\\\api.localhost:${port}\\weather`),
  same('The URL has dot segments that lead to the listed path.', at('/trap/%2e%2e/weather')),
  same('The URL has a line break in the listed path.', at('/wea\nther')),
  same('The URL has a backslash in its query.', at('/weather?path=a\\b')),
  redirect('The seller redirects to another host before payment.', 'REDIRECT_REFUSED', {
    ...movesOn,
    before: ({ elsewhere }, response) => leaveTo(302, `${elsewhere}/x`, response),
  }),
  redirect('The seller redirects to another host before payment, permanently.', 'REDIRECT_REFUSED', {
    ...movesOn,
    before: ({ elsewhere }, response) => leaveTo(308, `${elsewhere}/x`, response),
    init: { method: 'POST', body: '{}' },
  }),
  redirect('The seller redirects to another path, then to another host.', 'REDIRECT_REFUSED', {
    ...movesOn,
    before: ({ elsewhere, path }, response) =>
      leaveTo(307, path === '/hop' ? `${elsewhere}/x` : '/hop', response),
  }),
  redirect('The seller redirects to another host after payment, repeatedly.', 'REDIRECT_AFTER_PAYMENT', {
    onPaid: ({ elsewhere }, response) => leaveTo(307, `${elsewhere}/x`, response),
    ...afterPayment,
  }),
  redirect('The seller redirects to its own path after payment, repeatedly.', 'REDIRECT_AFTER_PAYMENT', {
    onPaid: (_, response) => leaveTo(303, '/weather?paid', response),
    ...afterPayment,
  }),
]
