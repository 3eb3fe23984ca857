import { compareResource, isSameSite, isTemplate, type ResourceFit, sameAddress } from '@touchstone402/shared'
import type { Observation } from '../facts/facts.ts'
import type { ScoreEvidence } from '../facts/hostDocument.ts'
import type { Evidence } from './evidence.ts'
import { ANY_METHOD } from './memory/lookMemory.ts'
import { mainOffer } from './offers.ts'
import { LIMITS } from './spec.ts'

const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** Finds departures of the last probe from the protocol. */
export function findDepartures(evidence: Evidence): ScoreEvidence['conformance'] {
  const probe = evidence.current.at(-1)
  return {
    foreignResource: probe !== undefined && fitOf(probe, evidence.endpoint) !== 'fits',
    undeclaredInput: probe !== undefined && lacksInput(probe, evidence),
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
function lacksInput(probe: Observation, { endpoint, looks, latestListings }: Evidence): boolean {
  if (probe.declaresInput || latestListings.some(({ declaresInput }) => declaresInput)) return false
  return (
    BODY_METHODS.has(probe.method.toUpperCase()) ||
    isTemplate(endpoint) ||
    looks.refusedMethods.some((method) => method === probe.method || method === ANY_METHOD)
  )
}

/** Finds proof of what the seller claims: a recent delivery, and the receiver's own signature for the host. */
export function findProof({ purchases, current, announcements, now }: Evidence): ScoreEvidence['proof'] {
  const last = purchases.findLast(({ settled }) => settled)
  const probe = current.at(-1)
  const offer = probe === undefined ? undefined : mainOffer(probe)
  return {
    delivered: last?.delivered === true && last.at > now - LIMITS.purchaseMemoryMs,
    signed: announcements.some(
      ({ basis, network, newPayTo, expiresAt = 0 }) =>
        basis === 'receiver_proof' &&
        expiresAt > now &&
        offer?.network === network &&
        sameAddress(offer.payTo, newPayTo),
    ),
  }
}
