import type { Change, PublishedFindings, Reason } from '@touchstone402/shared'
import type { Listing, Observation, Time } from '../facts/facts.ts'
import { claimedUsd } from '../judge/prices.ts'
import { numberIdentities, publishProbe } from './publishedObservation.ts'
import { wellFormedJson } from './wellFormed.ts'

/** A finding of an endpoint, with the facts that it cites. */
export type CitedFinding = {
  readonly reason: Reason
  /** Oldest first. */
  readonly observations: readonly Observation[]
  /** The last published change of receiver; undefined without one. */
  readonly change: Change | undefined
  /** The host's own document, if the finding cites one. */
  readonly listing: Listing | undefined
}

/** Describes the findings of an endpoint with what was answered in every probe that they cite, as they are published at once. */
export function describeFindings(
  endpoint: string,
  findings: readonly CitedFinding[],
  now: Time,
): PublishedFindings {
  return {
    endpoint,
    findings: findings.map(({ reason, observations, change, listing }) => {
      const identityOf = numberIdentities(observations)
      const probes = observations.map((observation) => ({
        ...publishProbe(observation, now),
        identity: identityOf(observation.client),
      }))
      return {
        ...wellFormedJson({ code: reason.code, message: reason.message, evidence: [...reason.evidence] }),
        identities: new Set(probes.map(({ identity }) => identity)).size,
        before: wellFormedJson({ list: change?.before?.split(' ') ?? [] }).list,
        claimedUsd: listing === undefined ? null : claimedUsd(listing),
        probes,
      }
    }),
  }
}
