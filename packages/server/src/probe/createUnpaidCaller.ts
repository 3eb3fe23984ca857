import type { ScanAnswer } from '@touchstone402/shared/scan'
import { createClients } from '../facts/clientIdentities.ts'
import { readBounded } from '../lib/readBounded.ts'
import { createPublicFetch, type PublicFetchOptions } from './createPublicFetch.ts'
import { createResolveHost } from './resolveHost.ts'

/** Sends single unpaid requests under the prober's address policy, as its first client identity. */
export type UnpaidCaller = {
  /** Returns the answer as it came, unlike a probe. Rejects if there is none in time. */
  ask(url: string, method: ScanAnswer['method'], signal: AbortSignal): Promise<ScanAnswer>
  /** Returns the addresses of a host name. Rejects if it cannot be resolved. */
  resolve(hostname: string, signal: AbortSignal): Promise<readonly string[]>
  close(): Promise<void>
}

const ASK_MS = 30_000
const MAX_BODY_BYTES = 256 * 1024

/** Creates the caller. @param options.contact URL or address in the user agent */
export function createUnpaidCaller(options: PublicFetchOptions & { readonly contact: string }): UnpaidCaller {
  const { fetch, close } = createPublicFetch(options)
  const resolveHost = createResolveHost(options.lookup)
  const [identity] = createClients(options.contact)
  return {
    async ask(url, method, signal) {
      const isPost = method === 'POST'
      const response = await fetch(url, {
        method,
        headers: { ...identity?.headers, ...(isPost && { 'content-type': 'application/json' }) },
        ...(isPost && { body: '{}' }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]),
      })
      const isAsking = response.status === 402
      const body = isAsking ? await readBounded(response, MAX_BODY_BYTES).catch(() => null) : null
      if (!isAsking) await response.body?.cancel()
      return { method, status: response.status, headers: Object.fromEntries(response.headers), body }
    },
    resolve: async (hostname, signal) => (await resolveHost(hostname, signal)).map(({ address }) => address),
    close,
  }
}
