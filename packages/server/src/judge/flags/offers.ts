import { type Flag, isOfficialAsset, UNPAYABLE, type Unpayable } from '@touchstone402/shared'
import type { Observation } from '../../facts/facts.ts'
import type { Evidence } from '../evidence.ts'
import {
  isAcceptable,
  isFree,
  isIssuedElsewhere,
  isOfficial,
  isOnMainnet,
  isOnTestnet,
  pricedOffers,
  takenOffers,
  unpayableOf,
} from '../offers.ts'
import { toUsd } from '../prices.ts'
import { hours, LIMITS } from '../spec.ts'
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
      return `${why === undefined ? '' : `${UNPAYABLE[why]} `}Clears with an exact USDC payment on a mainnet beside it.`
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
    meaning: 'No offer has a price in dollars: the table has none for its asset.',
    fix: 'Offer payment in USDC as well.',
    raise: (evidence) => ifLatest(evidence, hasNoPrice),
    describe({ latest }) {
      const offer = mainOfLast(latest)
      return `It asks ${offer?.amountAtomic ?? 'an amount'} of ${cut(offer?.asset ?? 'an asset')}, which has no price in dollars. Clears with an offer in a dollar token.`
    },
  },
  terms_new: {
    meaning: `An offer on a network, asset, scheme or transfer method that was not there before. It is out of the signed terms until two client identities saw it over ${hours(LIMITS.offerConfirmedMs)}, or it is announced, or a signature proves its receiver.`,
    fix: 'Nothing, if the offer stays; or sign for its receiver in /.well-known/x402.',
    raise: ({ added }) => ofRecords(added.filter((one) => one.flag === 'terms_new' && one.ids.length > 1)),
    describe: ({ added }) => describeAdded(added.filter(({ flag }) => flag === 'terms_new')).join(' '),
    needs: PAST,
  },
  terms_unproven: {
    meaning:
      'A new offer names another receiver than the other offers on that kind of chain, and is neither announced nor proven.',
    fix: 'Announce the receiver in /.well-known/x402, signed by a receiver that is known, or sign for the host with the new one.',
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

/** Returns why the guard cannot pay the first official offer; undefined if it can pay one, or there is none. */
function whyUnsupported(probe: Observation): Unpayable | undefined {
  const reasons = pricedOffers(probe).filter(isOfficial).map(unpayableOf)
  return reasons.includes(null) ? undefined : (reasons[0] ?? undefined)
}

function isRefusedByStock(probe: Observation): boolean {
  const acceptable = pricedOffers(probe).filter(isAcceptable)
  return acceptable.length > 0 && acceptable.every(({ stockRefuses }) => stockRefuses !== undefined)
}

const hasNoPrice = (probe: Observation) =>
  takenOffers(probe).every((offer) => !isFree(offer) && isOnMainnet(offer) && toUsd(offer) === null)

/** Says what is offered since when, and when the flag clears. */
function describeAdded(added: Evidence['added']): readonly [offered: string, clears: string] {
  const offered = added
    .slice(0, 2)
    .map(({ offer, from }) => `Since ${on(from)} it offers ${describeOffer(offer)}.`)
  const clearsOn = on((added[0]?.from ?? 0) + LIMITS.offerConfirmedMs)
  return [
    offered.join(' '),
    `Clears on ${clearsOn}, if two clients have seen it over 24 h by then, or once its receiver is announced or signs.`,
  ]
}
