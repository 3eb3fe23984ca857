import { sameAddress } from '@touchstone402/shared'
import type { EndpointState } from '../facts/hostDocument.ts'

/** Returns every receiver that endpoints offer, as they name it. One may be named several times. */
export const offeredReceivers = (endpoints: readonly Pick<EndpointState, 'payTo' | 'terms'>[]): string[] =>
  endpoints.flatMap(({ payTo, terms }) => [
    ...(payTo === null ? [] : [payTo]),
    ...terms.map((term) => term.payTo),
  ])

/** Whether an endpoint offers to pay an address, or did lately: its owner may object to what replaced it. */
export function isReceiverOf(
  endpoint: Pick<EndpointState, 'payTo' | 'terms' | 'payToHistory'>,
  address: string,
): boolean {
  const named = [...offeredReceivers([endpoint]), ...endpoint.payToHistory.map(({ payTo }) => payTo)]
  return named.some((one) => sameAddress(one, address))
}
