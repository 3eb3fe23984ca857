import { Agent } from 'undici'
import { type AddressPolicyOptions, createAddressPolicy } from './addressPolicy.ts'
import type { ProberOptions } from './createProber.ts'
import { createGuardedConnector, createSharedContext } from './guardedConnect.ts'
import { createResolveHost } from './resolveHost.ts'
import { createReachWitness } from './witnessReach.ts'

/** Options of {@link createPublicFetch}. */
export type PublicFetchOptions = AddressPolicyOptions &
  Pick<ProberOptions, 'lookup' | 'ca' | 'egress'> & {
    /** Whether connections are kept and used again, as a stock client does. @default false */
    readonly keepsAlive?: boolean
  }

const CONNECT_MS = 10_000
const MAX_BODY_BYTES = 4 * 1024 * 1024

/** Creates a `fetch` under the prober's address policy, and a function that closes its connections. */
export function createPublicFetch(options: PublicFetchOptions): {
  fetch: typeof globalThis.fetch
  close(): Promise<void>
} {
  const context = {
    policy: createAddressPolicy(options),
    resolveHost: createResolveHost(options.lookup),
    witness: createReachWitness(),
    secureContext: createSharedContext(options.ca),
    egress: options.egress,
  }
  const dispatcher = new Agent({
    connect: (target, callback) =>
      createGuardedConnector({ ...context, signal: AbortSignal.timeout(CONNECT_MS) })(target, callback),
    maxResponseSize: MAX_BODY_BYTES,
    pipelining: options.keepsAlive === true ? 1 : 0,
  })
  return {
    fetch: (input, init) => {
      // The global fetch: undici's own rejects a global Request.
      const guarded: RequestInit & { dispatcher: unknown } = { ...init, dispatcher }
      return globalThis.fetch(input, guarded)
    },
    close: () => dispatcher.destroy(),
  }
}
