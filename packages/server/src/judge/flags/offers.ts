import { type Flag, isOfficialAsset, UNPAYABLE } from '@touchstone402/shared'
import type { Observation, ObservedOffer } from '../../facts/facts.ts'
import type { Evidence } from '../evidence.ts'
import {
  isAcceptable,
  isElsewhere,
  isFree,
  isIssuedElsewhere,
  isOfficial,
  isOnMainnet,
  isOnTestnet,
  kindOf,
  mainOffer,
  normalAddress,
  remember,
  signableOffers,
  unpayableOf,
} from '../offers.ts'
import { mostUsd } from '../prices.ts'
import { days, hours, LIMITS } from '../spec.ts'
import { type FlagRule, PAST } from './flagRule.ts'
import { ifLatest, ifOnlyOffered, ofRecords } from './grounds.ts'
import { AT_NEXT, cut, describeOffer, labelOf, mainOfLast, on } from './words.ts'

/** Flags of what is offered: on which network, in which asset and scheme, and since when. */
export const OFFERS = {
  network_testnet: {
    meaning: 'Settles on a testnet while listed as production.',
    fix: 'Offer payment in USDC on a mainnet.',
    raise: (evidence) => ifOnlyOffered(evidence, isOnTestnet),
    describe: ({ latest }) =>
      `It settles on ${labelOf(mainOfLast(latest)?.network ?? '')}, a test network. Clears with an offer on a mainnet.`,
  },
  asset_unknown: {
    meaning:
      'The asset is a token that neither the protocol nor the issuer of a stablecoin names on its network.',
    fix: 'Offer an exact payment in the canonical USDC of a mainnet.',
    raise: (evidence) =>
      ifOnlyOffered(
        evidence,
        (offer) =>
          isOnMainnet(offer) && !isIssuedElsewhere(offer) && !isOfficialAsset(offer.network, offer.asset),
      ),
    describe({ latest }) {
      const offer = mainOfLast(latest)
      return `It asks for ${cut(offer?.asset ?? '')} on ${labelOf(offer?.network ?? '')}, which neither the protocol nor the issuer of a stablecoin names. Clears with an offer in USDC.`
    },
  },
  scheme_unsafe: {
    meaning:
      'Asks for an allowance or a flow outside every published scheme, or its fields contradict its scheme.',
    fix: 'Offer an exact payment by transfer authorization.',
    raise: (evidence) => ifOnlyOffered(evidence, (offer) => offer.unsafeFlow !== null),
    describe({ latest }) {
      const flow = latest.at(-1)?.offers.find(({ unsafeFlow }) => unsafeFlow !== null)?.unsafeFlow
      return `It asks for a form of payment that no specification publishes: ${cut(flow ?? 'unknown')}. Clears with an exact offer by EIP-3009.`
    },
  },
  payment_unsupported: {
    meaning: 'An official form of payment that the guard cannot pay.',
    fix: 'Offer an exact payment in the canonical USDC of a mainnet as well.',
    raise: (evidence) => ifLatest(evidence, (probe) => whyUnsupported(probe) !== undefined),
    describe({ latest }) {
      const why = latest.map(whyUnsupported).at(-1)
      return `${why === undefined ? '' : `${why} `}Clears with an exact USDC payment on a mainnet beside it.`
    },
  },
  unpayable_by_stock: {
    meaning: 'Stock clients refuse every offer that the guard could pay.',
    fix: "Name the token's EIP-712 domain in `extra.name` and `extra.version`, as the contract states it.",
    raise: (evidence) => ifLatest(evidence, isRefusedByStock),
    describe({ latest }) {
      const why = latest.at(-1)?.offers.find(({ stockRefuses }) => stockRefuses !== undefined)?.stockRefuses
      const what = why === 'domain_missing' ? 'no EIP-712 domain' : "another EIP-712 domain than the token's"
      return `Its \`extra\` has ${what}, so stock clients refuse every offer. ${AT_NEXT}`
    },
  },
  price_unknown: {
    meaning:
      "An offer to the seller's own receiver has no price in dollars: the table has none for its asset.",
    fix: 'Offer payment in USDC as well.',
    raise: (evidence) => ifLatest(evidence, (probe) => listUnpriced(probe).length > 0),
    describe: ({ latest }) =>
      `${describeUnpriced(latest.map(listUnpriced).at(-1))} Clears with an offer in a dollar token alone.`,
  },
  price_incomparable: {
    meaning:
      'An offer to another receiver than the others is in an asset without a price in dollars, so its price cannot be compared.',
    fix: 'Offer payment in USDC to that receiver, or drop the offer.',
    raise: (evidence) => ifLatest(evidence, (probe) => listIncomparable(probe).length > 0),
    describe: ({ latest }) =>
      `${describeUnpriced(latest.map(listIncomparable).at(-1))} Its receiver is none of the others. ${AT_NEXT}`,
  },
  terms_unreadable: {
    meaning:
      'Beside offers that can be read, the 402 has parts that cannot, or that only lenient clients read.',
    fix: 'Write every entry in the published form, within 256 KiB.',
    raise: (evidence) => ifLatest(evidence, isPartlyRead),
    describe: ({ latest }) => `${describeUnread(latest.at(-1))} ${AT_NEXT}`,
  },
  terms_hidden: {
    meaning:
      'An entry that strict clients skip and lenient ones sign pays another receiver or more than the others; or JSON that some clients read is too large, or under a coding that others lack.',
    fix: 'Write every entry in the published form, with the same receiver and price as the others.',
    raise: (evidence) => ifLatest(evidence, hidesTerms),
    describe({ latest }) {
      const last = latest.at(-1)
      const [hidden] = last === undefined ? [] : listHidden(last)
      const what =
        hidden === undefined
          ? 'Its body was not read, and some clients read it.'
          : `Some clients sign ${hidden.amountAtomic} as ${describeOffer(hidden)}, which strict ones skip.`
      return `${what} ${AT_NEXT}`
    },
  },
  terms_new: {
    meaning: `An offer on a network, asset, scheme or transfer method that was not there before. It is out of the signed terms until two client identities saw it over ${hours(LIMITS.offerConfirmedMs)}, or an old receiver announces its receiver.`,
    fix: 'Nothing, if the offer stays; or announce its receiver, signed by an old one.',
    raise: ({ added }) => ofRecords(added.filter((one) => one.flag === 'terms_new' && one.ids.length > 1)),
    describe: ({ added }) => describeAdded(added.filter(({ flag }) => flag === 'terms_new')).join(' '),
    needs: PAST,
  },
  terms_unproven: {
    meaning: `A new offer names another receiver than the other offers on that kind of chain, and no old receiver announced it. It is out of the signed terms for ${days(LIMITS.otherReceiverMs)}.`,
    fix: 'Announce the receiver in /.well-known/x402, signed by a receiver that is known.',
    raise: ({ added }) =>
      ofRecords(added.filter((one) => one.flag === 'terms_unproven' && one.ids.length > 1)),
    describe({ added }) {
      const found = added.filter(({ flag }) => flag === 'terms_unproven')
      const [offered = '', clears = ''] = describeAdded(found)
      const others = [...new Set(found.flatMap((one) => one.others))].slice(0, 3).map(cut).join(', ')
      return `${offered} The other receivers on that kind of chain: ${others}. ${clears}`
    },
    needs: PAST,
  },
} as const satisfies Partial<Record<Flag, FlagRule>>

/** Says why the guard cannot pay the first official offer; undefined if it can pay one, or there is none. */
function whyUnsupported(probe: Observation): string | undefined {
  const reasons = signableOffers(probe).filter(isOfficial).map(describeUnpayable)
  return reasons.includes(null) ? undefined : (reasons[0] ?? undefined)
}

function describeUnpayable(offer: ObservedOffer): string | null {
  if (offer.lenient === true) return 'The guard reads offers in the published spelling only.'
  const reason = unpayableOf(offer)
  return reason === null ? null : UNPAYABLE[reason]
}

function isRefusedByStock(probe: Observation): boolean {
  const acceptable = signableOffers(probe).filter(isAcceptable)
  return acceptable.length > 0 && acceptable.every(({ stockRefuses }) => stockRefuses !== undefined)
}

const isUnpriced = (offer: ObservedOffer) => !isFree(offer) && !isOnTestnet(offer) && mostUsd(offer) === null

/** Returns the receivers of the offers with a price, by kind of chain; without any, the main offer's. */
function ownReceivers(probe: Observation): ReadonlySet<string> {
  const priced = signableOffers(probe).filter((offer) => !isUnpriced(offer) && offer.lenient !== true)
  const main = mainOffer(probe)
  const own = priced.length > 0 || main === undefined ? priced : [main]
  return new Set(own.map(receiverKey))
}

const receiverKey = (offer: ObservedOffer) => `${kindOf(offer)} ${normalAddress(offer.payTo)}`

/**
 * Whether an offer names another receiver than the priced ones. On a network that no table has, whose kind of chain the
 * others do not use, it cannot be the same one, and no stock client pays there by default.
 */
function isOfOther(offer: ObservedOffer, own: ReadonlySet<string>): boolean {
  const isSameKind = [...own].some((key) => key.startsWith(`${kindOf(offer)} `))
  return !own.has(receiverKey(offer)) && (isSameKind || isOnMainnet(offer))
}

/** Returns the offers without a price that name another receiver than the others. */
const listIncomparable = remember((probe): readonly ObservedOffer[] => {
  const own = ownReceivers(probe)
  return signableOffers(probe).filter((offer) => isUnpriced(offer) && isOfOther(offer, own))
})

/** Returns the other offers without a price. */
const listUnpriced = remember((probe): readonly ObservedOffer[] => {
  const own = ownReceivers(probe)
  // Of an endpoint that can only be paid on unknown networks the verdict says so.
  return isElsewhere(probe)
    ? []
    : signableOffers(probe).filter((offer) => isUnpriced(offer) && !isOfOther(offer, own))
})

function describeUnpriced([offer]: readonly ObservedOffer[] = []): string {
  const asked = `${offer?.amountAtomic ?? 'an amount'} of ${cut(offer?.asset ?? 'an asset')}`
  return `It asks ${asked} on ${labelOf(offer?.network ?? '')} to ${cut(offer?.payTo ?? 'nobody')}, which has no price in dollars.`
}

/** Problems of parts of a 402 that could not be read, beside offers that could. */
const UNREAD: ReadonlySet<string> = new Set([
  'header_not_base64_json',
  'header_too_large',
  'body_too_large',
  'body_hidden',
  'version_unknown',
  'accepts_too_many',
  'entry_malformed',
  'payto_malformed',
  'asset_malformed',
])

const isPartlyRead = ({ offers, problems }: Observation) =>
  problems.some((code) => UNREAD.has(code)) || offers.some(({ lenient }) => lenient === true)

function describeUnread(probe: Observation | undefined): string {
  const codes = probe?.problems.filter((code) => UNREAD.has(code)) ?? []
  const lenient = probe?.offers.filter((offer) => offer.lenient === true).length ?? 0
  const parts = [
    ...(codes.length === 0 ? [] : [`Parts of its 402 cannot be read (${codes.join(', ')}).`]),
    ...(lenient === 0 ? [] : [`Strict clients skip ${lenient} of its offers.`]),
  ]
  return parts.join(' ')
}

/** Returns the offers that only lenient clients read, and that pay another receiver, or more, than those that all read. */
const listHidden = remember((probe): readonly ObservedOffer[] => {
  const offers = signableOffers(probe)
  const plain = offers.filter(({ lenient }) => lenient !== true)
  const receivers = new Set(plain.map(receiverKey))
  const dearest = Math.max(0, ...plain.map((offer) => mostUsd(offer) ?? 0))
  const isOther = (offer: ObservedOffer) =>
    !receivers.has(receiverKey(offer)) || (mostUsd(offer) ?? Number.POSITIVE_INFINITY) > dearest
  return plain.length === 0 ? [] : offers.filter((offer) => offer.lenient === true && isOther(offer))
})

const hidesTerms = (probe: Observation) =>
  probe.problems.includes('body_hidden') || listHidden(probe).length > 0

/** Says what is offered since when, and when the flag clears. */
function describeAdded(added: Evidence['added']): readonly [offered: string, clears: string] {
  const [first] = added
  const offered = added
    .slice(0, 2)
    .map(({ offer, from }) => `Since ${on(from)} it offers ${describeOffer(offer)}.`)
  const forMs = first?.flag === 'terms_unproven' ? LIMITS.otherReceiverMs : LIMITS.offerConfirmedMs
  return [
    offered.join(' '),
    `Clears on ${on((first?.from ?? 0) + forMs)}, if two clients have seen it without a break by then, or once an old receiver announces its receiver.`,
  ]
}
