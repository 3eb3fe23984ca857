import { attack, type Scenario, V1, V2 } from '../situations.ts'
import { THIEF } from '../world.ts'

const rail = attack('rail_switch')
const lifetime = attack('authorization_lifetime')

const other = 'the signature is for a chain that does not run here'
const unknown = 'both clients refuse a network that they do not know'

/** Other networks, wrong network names, and authorizations with a late expiry. */
export const networks: readonly Scenario[] = [
  rail('The network is another one.', 'NETWORK_NOT_ALLOWED', {
    network: 'eip155:137',
    asset: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    notDrainable: other,
  }),
  rail('The network is a test network.', 'NETWORK_NOT_ALLOWED', {
    network: 'eip155:84532',
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    notDrainable: other,
  }),
  rail('The network is a test network with the token of the real one.', 'NETWORK_NOT_ALLOWED', {
    network: 'eip155:84532',
    notDrainable: other,
  }),
  rail(
    'The network is a test network first, the real one second with the thief as receiver.',
    'RECEIVER_NOT_CHECKED',
    { terms: [{ network: 'eip155:84532' }, { payTo: THIEF }] },
  ),
  rail('The network is the v1 slug in v2.', 'CHALLENGE_MALFORMED', {
    rawNetwork: 'base',
    lanes: V2,
    notDrainable: unknown,
  }),
  rail('The network is the v2 id in v1.', 'CHALLENGE_MALFORMED', {
    rawNetwork: 'eip155:8453',
    lanes: V1,
    notDrainable: unknown,
  }),
  rail('The network is missing.', ['NETWORK_NOT_ALLOWED', 'CHALLENGE_MALFORMED'], {
    rawNetwork: null,
    notDrainable: unknown,
  }),
  lifetime("The authorization's lifetime is ten years.", 'AUTHORIZATION_TOO_LONG', {
    maxTimeoutSeconds: 315_360_000,
  }),
  lifetime("The authorization's lifetime is one second above the limit.", 'AUTHORIZATION_TOO_LONG', {
    maxTimeoutSeconds: 601,
  }),
  lifetime("The authorization's lifetime is a string.", 'CHALLENGE_MALFORMED', { maxTimeoutSeconds: '60' }),
  lifetime("The authorization's lifetime is negative.", 'CHALLENGE_MALFORMED', {
    maxTimeoutSeconds: -60,
    notDrainable: 'the signature is over before it is made',
  }),
  lifetime("The authorization's lifetime is not a number.", 'CHALLENGE_MALFORMED', {
    maxTimeoutSeconds: Number.NaN,
    notDrainable: 'no signature that holds can be made for it',
  }),
  lifetime("The authorization's lifetime is a fraction.", 'CHALLENGE_MALFORMED', {
    maxTimeoutSeconds: 60.5,
    notDrainable: 'no signature can be made for it',
  }),
]
