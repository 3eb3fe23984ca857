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
     * @default a fetch that connects to public addresses only
     */
    fetch?: FetchLike
  }

/** Creates the paying `fetch` of a tool. */
export function createToolFetch(options: GuardedFetchToolOptions): FetchLike {
  return createGuardedFetch({ ...options, fetch: options.fetch ?? createPublicFetch() })
}
