import { describe, expect, test } from 'vitest'
import { createAddressPolicy } from './addressPolicy.ts'
import { createGuardedConnector, createSharedContext } from './guardedConnect.ts'
import { createReachWitness } from './witnessReach.ts'

/** Dials a name that resolves to this address; resolves to the code of the error. */
function dial(address: string, protocol: string): Promise<unknown> {
  const connect = createGuardedConnector({
    policy: createAddressPolicy({ allowPrivate: [address] }),
    resolveHost: async () => [{ address, family: 4 }],
    witness: createReachWitness(),
    secureContext: createSharedContext(),
    signal: AbortSignal.timeout(5_000),
  })
  return new Promise((resolve) => {
    connect({ hostname: 'shop.test', protocol, port: '' }, (...[error]) => resolve(error))
  })
}

describe('a dial that the machine refuses at once', () => {
  // No route leads a stream to a group of hosts, as no IPv6 route leads anywhere on a machine without one.
  test.each(['http:', 'https:'])('error: %s', async (protocol) => {
    expect(await dial('224.0.0.1', protocol)).toMatchObject({ code: 'ENETUNREACH' })
  })
})
