import type { GuardContext } from '../paying/guardContext.ts'
import type { FetchLike } from '../types.ts'

/** Options of {@link guardOuterFetch}. */
export type OuterFetchOptions = {
  /** Sends each request once without a payment, to see its 402. @default the global fetch */
  probe?: FetchLike | undefined
}

const BLIND_SPOT =
  'guard.outer sees neither the 402 that the payment library answers nor the signed payment; use guard.fetch or guard.account where possible.'

/** Wraps a `fetch` that already pays; see {@link Guard.outer} for its limits. */
export function guardOuterFetch(
  context: GuardContext,
  paying: FetchLike,
  { probe = globalThis.fetch }: OuterFetchOptions = {},
): FetchLike {
  context.emit({ type: 'weak_integration', reason: BLIND_SPOT })
  return async (input, init) => {
    // Loaded with the first request, since most guards are not above a library.
    const { sendOuter } = await import('./outerRequest.ts')
    return sendOuter(context, { paying, probe }, input, init)
  }
}
