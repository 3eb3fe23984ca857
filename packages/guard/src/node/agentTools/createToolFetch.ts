import { createGuardedFetch, type GuardedFetchOptions } from '../../seats/createGuardedFetch.ts'
import type { FetchLike } from '../../types.ts'
import { createPublicFetch } from '../publicFetch.ts'

/** What a tool that pays is made of. */
export type GuardedFetchToolOptions = Omit<GuardedFetchOptions, 'fetch'> & {
  /**
   * Reaches the endpoints. The addresses come from a model: a `fetch` of your own has to refuse what a model may not reach.
   * @default one that connects to public addresses alone
   */
  fetch?: FetchLike
}

/** Makes the paying `fetch` of a tool. */
export function createToolFetch(options: GuardedFetchToolOptions): FetchLike {
  return createGuardedFetch({ ...options, fetch: options.fetch ?? createPublicFetch() })
}
