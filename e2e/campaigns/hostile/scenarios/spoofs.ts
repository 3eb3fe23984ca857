import type { Scenario } from '../types.ts'
import { THIEF } from '../world.ts'

const category = 'resource_spoof'
const foreign = { category, code: 'RESOURCE_MISMATCH' } as const

/** Challenges that claim to be for something else. */
export const spoofs: readonly Scenario[] = [
  {
    ...foreign,
    name: 'The challenge is for a path that is the host of another, after two slashes.',
    seller: { resource: () => '//bank.example/pay' },
  },
  {
    ...foreign,
    name: 'The challenge is for a host that looks like the listed one.',
    seller: { resource: ({ origin }) => `${origin.replace('api', '\u0430pi')}/weather` },
  },
  {
    ...foreign,
    name: 'The challenge is for a sister host that the verdict does not name.',
    seller: { resource: ({ origin }) => `${origin.replace('api.', 'pay.')}/weather` },
    verdict: { resourceHosts: ['other.localhost'] },
  },
  {
    ...foreign,
    name: 'The challenge is for a host behind backslashes.',
    seller: { resource: () => 'https:\\\\bank.example\\pay' },
  },
  {
    category,
    name: 'The challenge of a trap is for the listed endpoint, to borrow its verdict.',
    seller: { terms: [{ payTo: THIEF, amount: '90000' }], resource: ({ origin }) => `${origin}/weather` },
    url: ({ origin }) => `${origin}/trap`,
    code: 'VERDICT_UNKNOWN',
  },
  {
    category,
    name: 'The challenge of a redirect target is for the endpoint that was called.',
    seller: {
      terms: [{ payTo: THIEF, amount: '90000' }],
      resource: ({ origin }) => `${origin}/weather`,
      before: ({ path }, response) =>
        path === '/weather' && Boolean(response.writeHead(307, { location: '/inner/trap' }).end()),
    },
    code: 'VERDICT_UNKNOWN',
  },
]
