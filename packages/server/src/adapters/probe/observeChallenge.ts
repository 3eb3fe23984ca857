import { type Challenge, canonicalizeUrl, type Offer } from '@touchstone402/shared'
import { getAddress } from 'viem'
import type { ObservedOffer } from '../../domain/facts/facts.ts'
import type { ProbeResult } from '../../ports/prober.ts'

/** The part of an observation that comes out of a challenge. */
export type ObservedChallenge = Pick<
  ProbeResult,
  'versions' | 'offers' | 'resourceOrigin' | 'declaresInput' | 'declaresOutput' | 'disagreements' | 'problems'
>

/** Keeps of a challenge what is measured, and nothing of the seller's prose. */
export function observeChallenge(challenge: Challenge | null): ObservedChallenge {
  if (challenge === null) {
    return {
      versions: [],
      offers: [],
      resourceOrigin: null,
      declaresInput: false,
      declaresOutput: false,
      disagreements: [],
      problems: [],
    }
  }
  return {
    versions: challenge.versions,
    offers: challenge.offers.map(observeOffer),
    resourceOrigin: readOrigin(challenge.resource),
    declaresInput: challenge.declaresInput,
    declaresOutput: challenge.declaresOutput,
    disagreements: challenge.disagreements,
    problems: [...new Set(challenge.problems.map(({ code }) => code))],
  }
}

function observeOffer(offer: Offer): ObservedOffer {
  const { x402Version, scheme, network, amountAtomic } = offer
  return {
    x402Version,
    scheme,
    network,
    asset: checksum(network, offer.asset),
    payTo: checksum(network, offer.payTo),
    amountAtomic,
    unsafeFlow: findUnsafeFlow(offer.extra),
  }
}

function checksum(network: string, account: string): string {
  // The decoder has checked the shape, so this does not throw; case is all that changes.
  return network.startsWith('eip155:') ? getAddress(account) : account
}

/** The exact scheme needs one signed transfer; an allowance or another flow is named. */
function findUnsafeFlow(extra: Readonly<Record<string, unknown>>): string | null {
  const { assetTransferMethod, paymentFlow } = extra
  if (assetTransferMethod !== undefined && assetTransferMethod !== 'eip3009')
    return describe(assetTransferMethod)
  if (paymentFlow !== undefined && paymentFlow !== 'authorization' && paymentFlow !== 'exact') {
    return describe(paymentFlow)
  }
  return null
}

/** A word as declared where it is one; a seller's text is not carried on. */
function describe(value: unknown): string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,32}$/.test(value) ? value : 'unreadable'
}

function readOrigin(resource: string | null): string | null {
  if (resource === null) return null
  try {
    return canonicalizeUrl(resource).origin
  } catch {
    return null
  }
}
