import type { EndpointState } from '../facts/hostDocument.ts'

/** Returns every receiver that endpoints offer, as they name it. One may be named several times. */
export const offeredReceivers = (endpoints: readonly Pick<EndpointState, 'payTo' | 'terms'>[]): string[] =>
  endpoints.flatMap(({ payTo, terms }) => [
    ...(payTo === null ? [] : [payTo]),
    ...terms.map((term) => term.payTo),
  ])
