import type { Scenario } from '../types.ts'
import { THIEF } from '../world.ts'

const other = 'the signature is for a chain that does not run here'
const unknown = 'both clients refuse a network that they do not know'

/** Other networks, wrong network names, and authorizations with a late expiry. */
export const networks: readonly Scenario[] = [
  {
    category: 'rail_switch',
    name: 'The network is another one.',
    seller: { terms: [{ network: 'eip155:137', asset: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359' }] },
    code: 'NETWORK_NOT_ALLOWED',
    notDrainable: other,
  },
  {
    category: 'rail_switch',
    name: 'The network is a test network.',
    seller: { terms: [{ network: 'eip155:84532', asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' }] },
    code: 'NETWORK_NOT_ALLOWED',
    notDrainable: other,
  },
  {
    category: 'rail_switch',
    name: 'The network is a test network with the token of the real one.',
    seller: { terms: [{ network: 'eip155:84532' }] },
    code: 'NETWORK_NOT_ALLOWED',
    notDrainable: other,
  },
  {
    category: 'rail_switch',
    name: 'The network is a test network first, the real one second with the thief as receiver.',
    seller: { terms: [{ network: 'eip155:84532' }, { payTo: THIEF }] },
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    category: 'rail_switch',
    name: 'The network is the v1 slug in v2.',
    seller: { terms: [{ rawNetwork: 'base' }] },
    lanes: [{ client: '@x402/fetch', wire: 'v2' }],
    code: 'NETWORK_NOT_ALLOWED',
    notDrainable: unknown,
  },
  {
    category: 'rail_switch',
    name: 'The network is the v2 id in v1.',
    seller: { terms: [{ rawNetwork: 'eip155:8453' }] },
    lanes: [
      { client: '@x402/fetch', wire: 'v1' },
      { client: 'x402-fetch', wire: 'v1' },
    ],
    code: 'NETWORK_NOT_ALLOWED',
    notDrainable: unknown,
  },
  {
    category: 'rail_switch',
    name: 'The network is missing.',
    seller: { terms: [{ rawNetwork: null }] },
    code: ['NETWORK_NOT_ALLOWED', 'CHALLENGE_MALFORMED'],
    notDrainable: unknown,
  },
  {
    category: 'authorization_lifetime',
    name: "The authorization's lifetime is ten years.",
    seller: { terms: [{ maxTimeoutSeconds: 315_360_000 }] },
    code: 'AUTHORIZATION_TOO_LONG',
  },
  {
    category: 'authorization_lifetime',
    name: "The authorization's lifetime is one second above the limit.",
    seller: { terms: [{ maxTimeoutSeconds: 601 }] },
    code: 'AUTHORIZATION_TOO_LONG',
  },
  {
    category: 'authorization_lifetime',
    name: "The authorization's lifetime is a string.",
    seller: { terms: [{ maxTimeoutSeconds: '60' }] },
    code: 'CHALLENGE_MALFORMED',
  },
  {
    category: 'authorization_lifetime',
    name: "The authorization's lifetime is negative.",
    seller: { terms: [{ maxTimeoutSeconds: -60 }] },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: 'the signature is over before it is made',
  },
  {
    category: 'authorization_lifetime',
    name: "The authorization's lifetime is not a number.",
    seller: { terms: [{ maxTimeoutSeconds: Number.NaN }] },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: 'no signature that holds can be made for it',
  },
  {
    category: 'authorization_lifetime',
    name: "The authorization's lifetime is a fraction.",
    seller: { terms: [{ maxTimeoutSeconds: 60.5 }] },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: 'no signature can be made for it',
  },
]
