import type { Scenario } from '../types.ts'
import { THIEF } from '../world.ts'

const other = 'the signature is for a chain that does not run here'
const unknown = 'both clients refuse a network that they do not know'
const lifetime = 'lifetime'
const row = 'network'

/** Other networks, wrong network names, and authorizations with a late expiry. */
export const networks: readonly Scenario[] = [
  {
    row,
    name: 'another network',
    seller: { terms: [{ network: 'eip155:137', asset: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359' }] },
    code: 'NETWORK_NOT_ALLOWED',
    notDrainable: other,
  },
  {
    row,
    name: 'a test network',
    seller: { terms: [{ network: 'eip155:84532', asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' }] },
    code: 'NETWORK_NOT_ALLOWED',
    notDrainable: other,
  },
  {
    row,
    name: 'a test network with the token of the real one',
    seller: { terms: [{ network: 'eip155:84532' }] },
    code: 'NETWORK_NOT_ALLOWED',
    notDrainable: other,
  },
  {
    row,
    name: 'a test network first, the real one second with the thief as receiver',
    seller: { terms: [{ network: 'eip155:84532' }, { payTo: THIEF }] },
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    row,
    name: 'the v1 slug in v2',
    seller: { terms: [{ rawNetwork: 'base' }] },
    lanes: [{ client: '@x402/fetch', wire: 'v2' }],
    code: 'NETWORK_NOT_ALLOWED',
    notDrainable: unknown,
  },
  {
    row,
    name: 'the v2 id in v1',
    seller: { terms: [{ rawNetwork: 'eip155:8453' }] },
    lanes: [
      { client: '@x402/fetch', wire: 'v1' },
      { client: 'x402-fetch', wire: 'v1' },
    ],
    code: 'NETWORK_NOT_ALLOWED',
    notDrainable: unknown,
  },
  {
    row,
    name: 'no network at all',
    seller: { terms: [{ rawNetwork: null }] },
    code: ['NETWORK_NOT_ALLOWED', 'CHALLENGE_MALFORMED'],
    notDrainable: unknown,
  },
  {
    row: lifetime,
    name: 'ten years',
    seller: { terms: [{ maxTimeoutSeconds: 315_360_000 }] },
    code: 'AUTHORIZATION_TOO_LONG',
  },
  {
    row: lifetime,
    name: 'one second above the limit',
    seller: { terms: [{ maxTimeoutSeconds: 601 }] },
    code: 'AUTHORIZATION_TOO_LONG',
  },
  {
    row: lifetime,
    name: 'a string',
    seller: { terms: [{ maxTimeoutSeconds: '60' }] },
    code: 'CHALLENGE_MALFORMED',
  },
  {
    row: lifetime,
    name: 'negative',
    seller: { terms: [{ maxTimeoutSeconds: -60 }] },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: 'the signature is over before it is made',
  },
  {
    row: lifetime,
    name: 'not a number',
    seller: { terms: [{ maxTimeoutSeconds: Number.NaN }] },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: 'no signature that holds can be made for it',
  },
  {
    row: lifetime,
    name: 'a fraction',
    seller: { terms: [{ maxTimeoutSeconds: 60.5 }] },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: 'no signature can be made for it',
  },
]
