import { at, attack, type Scenario } from '../situations.ts'
import { THIEF } from '../world.ts'

const spoof = attack('resource_spoof')
const trap = { payTo: THIEF, amount: '90000' }

/** Challenges that claim to be for something else. */
export const spoofs: readonly Scenario[] = [
  spoof('The challenge is for a path that is the host of another, after two slashes.', 'RESOURCE_MISMATCH', {
    resource: () => '//bank.example/pay',
  }),
  spoof('The challenge is for a host that looks like the listed one.', 'RESOURCE_MISMATCH', {
    resource: ({ origin }) => `${origin.replace('api', '\u0430pi')}/weather`,
  }),
  spoof('The challenge is for a sister host that the verdict does not name.', 'RESOURCE_MISMATCH', {
    resource: ({ origin }) => `${origin.replace('api.', 'pay.')}/weather`,
    verdict: { resourceHosts: ['other.localhost'] },
  }),
  spoof('The challenge is for a host behind backslashes.', 'RESOURCE_MISMATCH', {
    resource: () => 'https:\\\\bank.example\\pay',
  }),
  spoof('The challenge of a trap is for the listed endpoint, to borrow its verdict.', 'VERDICT_UNKNOWN', {
    ...trap,
    resource: ({ origin }) => `${origin}/weather`,
    url: at('/trap'),
  }),
  spoof('The challenge of a redirect target is for the endpoint that was called.', 'VERDICT_UNKNOWN', {
    ...trap,
    resource: ({ origin }) => `${origin}/weather`,
    before: ({ path }, response) =>
      path === '/weather' && Boolean(response.writeHead(307, { location: '/inner/trap' }).end()),
  }),
]
