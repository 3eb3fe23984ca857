import { describe, expect, test } from 'vitest'
import { createAddressPolicy } from './addressPolicy.ts'
import { createGuardedConnector, createSharedContext } from './guardedConnect.ts'
import { createReachWitness } from './witnessReach.ts'

/** Dials a name that resolves to this address. Resolves to the error. */
function dial(address: string, protocol: string): Promise<unknown> {
  const connect = createGuardedConnector({
    policy: createAddressPolicy({ allowPrivate: [address] }),
    resolveHost: async () => [{ address, family: 4 }],
    witness: createReachWitness(),
    secureContext: createSharedContext([]),
    signal: AbortSignal.timeout(5_000),
  })
  return new Promise((resolve) => {
    connect({ hostname: 'shop.test', protocol, port: '' }, (...[error]) => resolve(error))
  })
}

describe('createGuardedConnector', () => {
  // A TCP dial to a multicast address fails synchronously, like any IPv6 dial on a machine without IPv6.
  test.each(['http:', 'https:'])(
    'error: reports a dial over %s that the system refuses at once',
    async (protocol) => {
      expect(await dial('224.0.0.1', protocol)).toMatchObject({ code: 'ENETUNREACH' })
    },
  )
})
