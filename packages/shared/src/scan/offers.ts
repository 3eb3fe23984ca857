import { isBurnAddress } from '../burnAddresses.ts'
import { atomicToUsd, findKnownNetwork, isOfficialAsset } from '../knownNetworks.ts'
import { sameAddress } from '../networks.ts'
import { UNPAYABLE, whyUnpayable } from '../payable.ts'
import { findUnpublished } from '../publishedForms.ts'
import { findDomainFault } from '../signingDomain.ts'
import type { Challenge, Offer } from '../x402.ts'

/** Dollars for one call above which the decimals are likely wrong. */
const MAX_USD = 100
/** Seconds. Guards sign for ten minutes at most by default; a transfer takes some seconds to settle. */
const LIFETIME = { min: 10, max: 600 }

/** Returns what is wrong, in one sentence, or null. */
export type OfferCheck = (challenge: Challenge) => string | null

const isTestnet = ({ network }: Offer) => findKnownNetwork(network)?.testnet === true
const isOfficial = (offer: Offer) =>
  findKnownNetwork(offer.network) !== undefined &&
  !isTestnet(offer) &&
  isOfficialAsset(offer.network, offer.asset) &&
  findUnpublished(offer) === null

/** Checks an offer only where none is official: one good offer is enough to be paid. */
const unlessOfficial =
  (find: (offer: Offer) => string | null): OfferCheck =>
  ({ offers }) =>
    offers.some(isOfficial) ? null : firstOf(offers, find)

const eachOffer =
  (find: (offer: Offer) => string | null): OfferCheck =>
  ({ offers }) =>
    firstOf(offers, find)

function firstOf(offers: readonly Offer[], find: (offer: Offer) => string | null): string | null {
  for (const offer of offers) {
    const found = find(offer)
    if (found !== null) return found
  }
  return null
}

/** Checks of the offers of a challenge. */
export const OFFER_CHECKS = {
  network_unknown: ({ offers }) =>
    offers.some(({ network }) => findKnownNetwork(network) !== undefined)
      ? null
      : firstOf(offers, ({ network }) => `The offer names the network ${network}.`),
  network_testnet: unlessOfficial((offer) =>
    isTestnet(offer) ? `The offer is on ${findKnownNetwork(offer.network)?.label}.` : null,
  ),
  asset_unknown: unlessOfficial((offer) =>
    isTestnet(offer) ||
    findKnownNetwork(offer.network) === undefined ||
    isOfficialAsset(offer.network, offer.asset)
      ? null
      : `The offer asks for ${offer.asset} on ${offer.network}.`,
  ),
  scheme_unsafe: unlessOfficial((offer) => {
    const word = findUnpublished(offer)
    return word === null ? null : `No specification has "${word}" for the scheme ${offer.scheme}.`
  }),
  receiver_unverified: ({ offers, problems }) => {
    if (problems.some(({ code }) => code === 'payto_malformed')) return 'An offer has a malformed payTo.'
    return firstOf(offers, ({ payTo, asset }) =>
      sameAddress(payTo, asset) || isBurnAddress(payTo) || /^0x0{36}[0-9a-f]{4}$/i.test(payTo)
        ? `Tokens sent to ${payTo} are lost.`
        : null,
    )
  },
  domain_mismatch: eachOffer((offer) => findDomainFault(offer)?.detail ?? null),
  amount_strange: eachOffer(({ network, asset, amountAtomic }) => {
    if (BigInt(amountAtomic) === 0n) return 'An offer asks for nothing.'
    const usd = atomicToUsd(network, asset, BigInt(amountAtomic))
    return usd !== null && usd > MAX_USD ? `An offer asks for $${usd} a call.` : null
  }),
  timeout_strange: eachOffer(({ maxTimeoutSeconds: seconds }) =>
    seconds < LIFETIME.min || seconds > LIFETIME.max
      ? `maxTimeoutSeconds is ${seconds}; between ${LIFETIME.min} and ${LIFETIME.max} is usual.`
      : null,
  ),
  payment_unsupported: ({ offers }) => {
    const official = offers.filter(isOfficial)
    const reasons = official.map((offer) => whyUnpayable(offer, true))
    const [reason = null] = reasons
    return reason === null || reasons.includes(null) ? null : UNPAYABLE[reason]
  },
} satisfies Record<string, OfferCheck>
