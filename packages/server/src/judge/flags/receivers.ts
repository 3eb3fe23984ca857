import { type Flag, isBurnAddress, sameAddress } from '@touchstone402/shared'
import { isDeclaredByHost, type Listing, type Observation, type ObservedOffer } from '../../facts/facts.ts'
import { describeHost } from '../../facts/hostNames/hostNames.ts'
import { toDate } from '../../facts/times.ts'
import type { Evidence } from '../evidence.ts'
import { signableOffers } from '../offers.ts'
import { days, LIMITS } from '../spec.ts'
import type { FlagRule, Grounds } from './flagRule.ts'
import { ifAll, ifOffered } from './grounds.ts'
import { AT_NEXT, cut, mainOfLast } from './words.ts'

/** Flags of who is paid, by the words of the seller, of incidents and of the challenge. */
export const RECEIVERS = {
  receiver_differs_from_listing: {
    meaning: "The receiver differs from the one in the seller's own document.",
    fix: 'Name the same receiver in /.well-known/x402 or OpenAPI as in the challenge.',
    raise: (evidence) => (findOtherClaim(evidence) === undefined ? [] : [evidence.latest.slice(-1)]),
    describe(evidence) {
      const claim = findOtherClaim(evidence)?.claims
      const named = addressesOn(evidence.latest.at(-1), claim?.network ?? '')
      return `It asks for payment to ${named}; its own document names ${cut(claim?.payTo ?? '')}. Clears when both name the same receiver.`
    },
    needs: {
      isThere: ({ listings }) => listings.some(({ ownClaim, claims }) => ownClaim && claims.payTo !== null),
      lacks: "no document of the seller's own names a receiver",
    },
  },
  receiver_flagged: {
    meaning:
      'The receiver is in an open critical incident of (a) this host, or (b) another host that used it first, if both share a domain or the receiver had no earlier payments. A test purchase paid it there.',
    fix: 'Resolve the incident that the reason links to.',
    raise: (evidence) => accusationsOf(evidence, 'receiver_flagged'),
    describe: describeAccused,
    isPerFinding: true,
  },
  receiver_accused_elsewhere: {
    meaning:
      'A test purchase paid the receiver at another host, which has an open critical incident; the receiver was named here before, or paid before that host first named it.',
    fix: 'Nothing, if the other host names your receiver without your consent; dispute the incident.',
    raise: (evidence) => accusationsOf(evidence, 'receiver_accused_elsewhere'),
    describe: describeAccused,
    isPerFinding: true,
  },
  host_accused: {
    meaning: 'Another path of the host has an open critical incident.',
    fix: 'Resolve the incident; a tenant of a shared host may move to a host of its own.',
    raise: (evidence) => accusationsOf(evidence, 'host_accused'),
    describe: describeAccused,
    isPerFinding: true,
  },
  name_confusable: {
    meaning:
      'The name of the host has characters beyond ASCII, and looks like that of another host, which was listed before.',
    fix: 'Use a name that cannot be mistaken for the other one.',
    raise: ({ lookalike, latest }) =>
      lookalike === undefined || latest.length === 0 ? [] : [latest.slice(-1)],
    describe: ({ host, lookalike = '' }) =>
      `Its name, ${cut(describeHost(host))}, looks like ${cut(describeHost(lookalike))}, which was listed before. Clears when that host is no longer listed.`,
  },
  receiver_unverified: {
    meaning: 'The receiver is the token itself, the zero address, a burn address, or malformed.',
    fix: 'Name an address that you control.',
    raise(evidence) {
      const measured = evidence.observations.filter(({ outcome }) => outcome !== 'not_measured').slice(-2)
      return [...ifOffered(evidence, hasInvalidReceiver), ...ifAll(measured, isMalformed)]
    },
    describe: ({ latest }) =>
      `${cut(mainOfLast(latest)?.payTo ?? 'What it names')} is no address that anybody could be paid at. ${AT_NEXT}`,
  },
} as const satisfies Partial<Record<Flag, FlagRule>>

/** Returns the seller's own claim of another receiver than its challenges name on that network; undefined if there is none. */
function findOtherClaim({ latestListings, latest, rotation }: Evidence): Listing | undefined {
  if (latest.length === 0 || rotation !== null) return undefined
  return latestListings.filter(isDeclaredByHost).find(({ claims: { network, payTo } }) => {
    if (network === null || payTo === null) return false
    return latest.every((probe) => {
      const there = signableOffers(probe).filter((offer) => offer.network === network)
      return there.length > 0 && !there.some((offer) => sameAddress(offer.payTo, payTo))
    })
  })
}

const addressesOn = (probe: Observation | undefined, network: string) =>
  (probe === undefined ? [] : signableOffers(probe))
    .filter((offer) => offer.network === network)
    .slice(0, 3)
    .map(({ payTo }) => cut(payTo))
    .join(', ')

const isMalformed = ({ offers, problems }: Observation) =>
  offers.length === 0 && problems.includes('payto_malformed')

const hasInvalidReceiver = ({ payTo, asset }: ObservedOffer) =>
  sameAddress(payTo, asset) || isBurnAddress(payTo)

/** Returns the incidents that count against the endpoint by one flag, each with the last probe. */
function accusationsOf({ accused, latest }: Evidence, flag: Flag): readonly Grounds[] {
  const found = accused.filter((one) => one.flag === flag)
  return found.map(({ accusation }) => [{ id: accusation.incident }, ...latest.slice(-1)])
}

function describeAccused({ accused }: Evidence, ids: readonly string[]): string {
  const found = accused.find(({ accusation }) => ids.includes(accusation.incident))
  if (found === undefined) return AT_NEXT
  const { flag, accusation, paid } = found
  const { incident, kind, host, payTo, detectedAt } = accusation
  const about = `incident ${incident} (${kind}, since ${toDate(detectedAt)}) at ${cut(host)}`
  return flag === 'host_accused'
    ? `Another path of the host is under ${about}; this one names the receiver ${cut(paid.payTo)}. Clears when the incident ends.`
    : `The receiver ${cut(payTo)} is under ${about}. Clears when the incident ends, at the latest ${days(LIMITS.keptProbesMs)} after the receiver was last seen there.`
}
