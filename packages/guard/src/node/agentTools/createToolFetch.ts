import {
  createGuardedFetch,
  type GuardedFetchOptions,
  type GuardOrOptions,
} from '../../seats/createGuardedFetch.ts'
import type { FetchLike } from '../../types.ts'
import { createPublicFetch } from '../publicFetch.ts'

/**
 * Options of a paying tool.
 * @example
 * const options: GuardedFetchToolOptions = { account, guard }
 */
export type GuardedFetchToolOptions = GuardOrOptions &
  Pick<GuardedFetchOptions, 'account'> & {
    /**
     * Sends requests to the endpoints. Models choose the addresses, so it must refuse private ones.
     * @default a fetch that connects to public addresses and the trust service only
     */
    fetch?: FetchLike
    /** Reaches hosts of private networks and of this machine as well, for development. @default false */
    allowPrivateHosts?: boolean
  }

/** Creates the paying `fetch` of a tool. */
export function createToolFetch({
  allowPrivateHosts = false,
  ...options
}: GuardedFetchToolOptions): FetchLike {
  const serviceUrl =
    options.guard?.serviceUrl ?? options.service?.url ?? globalThis.process?.env?.TOUCHSTONE_URL
  const limits = { allowPrivateHosts, ...(serviceUrl !== undefined && { serviceUrl }) }
  return createGuardedFetch({ ...options, fetch: options.fetch ?? createPublicFetch(limits) })
}
