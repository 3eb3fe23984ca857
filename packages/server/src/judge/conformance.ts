import { compareResource, isSameSite, isTemplate, type ResourceFit } from '@touchstone402/shared'
import type { Observation } from '../facts/facts.ts'
import type { ScoreEvidence } from '../facts/hostDocument.ts'
import { hasProof } from './announced.ts'
import { countedPurchases } from './delivery.ts'
import type { Findings } from './evidence.ts'
import { isSignedBy, mainOffer } from './offers.ts'
import { LIMITS } from './spec.ts'

const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** Finds departures of the last probe from the protocol. */
export function findDepartures(findings: Findings): ScoreEvidence['conformance'] {
  const probe = findings.shown
  return {
    foreignResource: probe !== undefined && fitOf(probe, findings.endpoint) !== 'fits',
    undeclaredInput: probe !== undefined && lacksInput(probe, findings),
    misplacedChallenge: probe?.problems.includes('challenge_misplaced') === true,
  }
}

/** Compares the resource that a challenge names with the endpoint. A URL that redirects to it is of its site. */
export function fitOf({ resourceOrigin, resourceAsked }: Observation, endpoint: string): ResourceFit {
  const isMoved = resourceAsked?.leadsHere === true
  return compareResource(resourceOrigin, endpoint, (a, b) => isMoved || isSameSite(a, b))
}

/** Returns the other hosts of the endpoint's site that probes name as their resource. */
export function resourceHostsOf(probes: readonly Observation[], endpoint: string): string[] {
  const named = probes.filter((probe) => probe.resourceOrigin !== null && fitOf(probe, endpoint) === 'fits')
  const hosts = new Set(named.map(({ resourceOrigin }) => new URL(resourceOrigin ?? endpoint).hostname))
  return [...hosts].filter((host) => host !== new URL(endpoint).hostname).sort()
}

/** Whether input is needed, by method, path or an answer, and neither challenge nor listing declares it. */
function lacksInput(probe: Observation, { endpoint, observations, latestListings }: Findings): boolean {
  if (probe.declaresInput || latestListings.some(({ declaresInput }) => declaresInput)) return false
  return (
    BODY_METHODS.has(probe.method.toUpperCase()) ||
    isTemplate(endpoint) ||
    observations.some(({ cause, method }) => cause === 'input_needed' && method === probe.method)
  )
}

/** Finds proof of what the seller claims: a recent delivery, and the receiver's own signature for the host. */
export function findProof(findings: Findings): ScoreEvidence['proof'] {
  const { shown, announcements, swap, now } = findings
  const last = countedPurchases(findings).at(-1)
  const offer = shown && mainOffer(shown)
  return {
    delivered: last?.delivered === true && last.at > now - LIMITS.purchaseMemoryMs,
    // After a change, only the old receiver could speak for the new one.
    signed:
      shown !== undefined &&
      offer !== undefined &&
      swap === null &&
      (isSignedBy(shown, offer.payTo) || hasProof(announcements, offer, now)),
  }
}
