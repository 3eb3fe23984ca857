import { type Challenge, findUnpublished, type Offer, originOf, whyUnpayable } from '@touchstone402/shared'
import { getAddress } from 'viem'
import type { ObservedOffer } from '../../domain/facts/facts.ts'
import { NO_CHALLENGE, type ObservedChallenge } from '../../domain/facts/noChallenge.ts'

/** Extracts the measured fields of a challenge, without any of the seller's free text. */
export function observeChallenge(challenge: Challenge | null): ObservedChallenge {
  if (challenge === null) return NO_CHALLENGE
  const { versions, declaresInput, declaresOutput, disagreements } = challenge
  return {
    versions,
    offers: challenge.offers.map(observeOffer),
    resourceOrigin: challenge.resource === null ? null : originOf(challenge.resource),
    declaresInput,
    declaresOutput,
    disagreements,
    problems: [...new Set(challenge.problems.map(({ code }) => code))],
  }
}

function observeOffer(offer: Offer): ObservedOffer {
  const { x402Version, scheme, network, asset, payTo, amountAtomic } = offer
  return {
    x402Version,
    scheme,
    network,
    asset: checksum(network, asset),
    payTo: checksum(network, payTo),
    amountAtomic,
    unsafeFlow: findUnpublished(offer),
    // The asset is judged, so that a newer table applies to older probes.
    unpayable: whyUnpayable(offer, true),
  }
}

function checksum(network: string, account: string): string {
  // Cannot throw: the decoder has checked the format.
  return network.startsWith('eip155:') ? getAddress(account) : account
}
