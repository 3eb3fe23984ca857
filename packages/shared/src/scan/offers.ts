import { atomicToUsd, findKnownNetwork, findUsdc, isOfficialAsset } from '../knownNetworks.ts'
import { BASE, BASE_USDC, isBurnAddress, sameAddress } from '../networks.ts'
import { UNPAYABLE, whyUnpayable } from '../payable.ts'
import { findUnpublished } from '../publishedForms.ts'
import { findDomainFault } from '../signingDomain.ts'
import type { Challenge, Offer } from '../x402.ts'
import { changeEntry, changeOffer, type Fault, type ValueToChange } from './fault.ts'

/** Dollars for one call above which the decimals are likely wrong. */
const MAX_USD = 100
/** Seconds. Guards sign for ten minutes at most by default; a transfer takes some seconds to settle. */
const LIFETIME = { min: 10, max: 600 }
const OWN_ADDRESS = 'an address whose key you hold'

/** Returns the faults of an offer. `at` describes a value of its entry, by default that of the field. */
type FindFault = (
  offer: Offer,
  at: (field: string | null, want: string, value?: unknown) => ValueToChange,
) => Fault | null

const isTestnet = ({ network }: Offer) => findKnownNetwork(network)?.testnet === true
const isKnown = ({ network }: Offer) => findKnownNetwork(network) !== undefined
const isOfficial = (offer: Offer) =>
  isKnown(offer) &&
  !isTestnet(offer) &&
  isOfficialAsset(offer.network, offer.asset) &&
  findUnpublished(offer) === null

/** Finds a fault in each offer alone. */
const inAny =
  (find: FindFault) =>
  (challenge: Challenge): Fault | null => {
    for (const offer of challenge.offers) {
      const found = find(offer, (...change) => changeOffer(challenge, offer, ...change))
      if (found !== null) return found
    }
    return null
  }

/** Finds a fault only where no offer passes: one good offer is enough to be paid. */
const unless = (passes: (offer: Offer) => boolean, find: FindFault) => (challenge: Challenge) =>
  challenge.offers.some(passes) ? null : inAny(find)(challenge)

const mainNetwork = ({ x402Version }: Offer) => (x402Version === 2 ? BASE : 'base')

/** Checks of the offers of a challenge. */
export const OFFER_CHECKS = {
  network_unknown: unless(isKnown, (offer, at) => {
    const detail = `The offer names the network ${offer.network}.`
    return { detail, change: at('network', mainNetwork(offer)) }
  }),
  network_testnet: unless(isOfficial, (offer, at) => {
    if (!isTestnet(offer)) return null
    const detail = `The offer is on ${findKnownNetwork(offer.network)?.label}.`
    return { detail, change: at('network', mainNetwork(offer)) }
  }),
  asset_unknown: unless(isOfficial, (offer, at) => {
    const { network, asset } = offer
    if (isTestnet(offer) || !isKnown(offer) || isOfficialAsset(network, asset)) return null
    const detail = `The offer asks for ${asset} on ${network}.`
    return { detail, change: at('asset', findUsdc(network) ?? BASE_USDC) }
  }),
  scheme_unsafe: unless(isOfficial, (offer, at) => {
    const word = findUnpublished(offer)
    if (word === null) return null
    const detail = `No specification has "${word}" for the scheme ${offer.scheme}.`
    return { detail, change: at(null, 'the scheme exact with EIP-3009', word) }
  }),
  receiver_unverified: (challenge: Challenge) => {
    const malformed = challenge.problems.find(({ code }) => code === 'payto_malformed')
    if (malformed !== undefined) {
      const change = changeEntry(challenge, malformed, OWN_ADDRESS, 'payTo')
      return { detail: 'An offer has a malformed payTo.', change }
    }
    return inAny(({ payTo, asset }, at) => {
      const isLost = sameAddress(payTo, asset) || isBurnAddress(payTo) || /^0x0{36}[0-9a-f]{4}$/i.test(payTo)
      return isLost ? { detail: `Tokens sent to ${payTo} are lost.`, change: at('payTo', OWN_ADDRESS) } : null
    })(challenge)
  },
  domain_mismatch: inAny((offer, at) => {
    const fault = findDomainFault(offer)
    if (fault === null) return null
    const { detail, field, want } = fault
    return { detail, change: at(`extra.${field}`, want, offer.extra[field]) }
  }),
  amount_strange: inAny(({ network, asset, amountAtomic, x402Version }, at) => {
    const usd = atomicToUsd(network, asset, BigInt(amountAtomic))
    const field = x402Version === 2 ? 'amount' : 'maxAmountRequired'
    const change = at(field, '"10000" for $0.01 in USDC')
    if (BigInt(amountAtomic) === 0n) return { detail: 'An offer asks for nothing.', change }
    return usd !== null && usd > MAX_USD ? { detail: `An offer asks for $${usd} a call.`, change } : null
  }),
  timeout_strange: inAny(({ maxTimeoutSeconds: seconds }, at) => {
    if (seconds >= LIFETIME.min && seconds <= LIFETIME.max) return null
    const detail = `maxTimeoutSeconds is ${seconds}; between ${LIFETIME.min} and ${LIFETIME.max} is usual.`
    return { detail, change: at('maxTimeoutSeconds', '60') }
  }),
  payment_unsupported: unless(
    (offer) => isOfficial(offer) && whyUnpayable(offer, true) === null,
    (offer, at) => {
      const reason = isOfficial(offer) ? whyUnpayable(offer, true) : null
      return reason && { detail: UNPAYABLE[reason], change: at('scheme', `exact, in USDC on ${BASE}`) }
    },
  ),
} satisfies Record<string, (challenge: Challenge) => Fault | null>
