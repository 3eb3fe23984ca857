import type { EndpointState } from '@touchstone402/server/testing'

/** Verdict on an endpoint after a probe. */
export type Sample = {
  /** Days since the start. */
  readonly day: number
  readonly endpoint: string
  /** Day on which the verdict expires. */
  readonly expiresOnDay: number
  readonly verdict: EndpointState['verdict']
  readonly score: number | null
  readonly flags: readonly string[]
  readonly riskLevel: EndpointState['riskLevel']
  readonly terms: EndpointState['terms']
}

/** Samples of a host, oldest first. */
export type SamplesOf = (host: { readonly host: string }) => readonly Sample[]

/** Looks samples up by the name of their host. */
export const samplesIn =
  (samples: ReadonlyMap<string, readonly Sample[]>): SamplesOf =>
  ({ host }) =>
    samples.get(host) ?? []
