import type { Flag } from '@touchstone402/shared'
import { formatDollars } from '../../facts/dollars.ts'
import type { DearerThanClaim } from '../bait.ts'
import { askedUsd, claimedUsd, dearestOffer, hasDrift, highestUsualUsd, isHigh } from '../prices.ts'
import { isVaried, MICRO_DOLLARS, type PriceRange } from '../ranges.ts'
import { days, LIMITS } from '../spec.ts'
import type { FlagRule, Need } from './flagRule.ts'
import { describeFollowed } from './followed.ts'
import { ofIds, ofRecords } from './grounds.ts'
import { cut, dollars, on } from './words.ts'

const LISTED_PRICE: Need = {
  isThere: ({ listings }) =>
    listings.some(({ claims }) => claims.priceUsd !== null || claims.amountAtomic !== null),
  lacks: 'no listing names a price',
}

/** Flags of a price that differs from one request to the next. */
export const VARYING_PRICES = {
  price_varies: {
    meaning: `The price of equal requests varies by more than ${LIMITS.priceVariesTimes} times, with at least ${LIMITS.priceVariesChanges} changes of level among the last ${LIMITS.priceVariesProbes} probes, without a declared reason; or clients get prices within ${LIMITS.priceJumpPct} % of one another; or the receiver or the price follows input that the host does not declare, as two clients saw. The signed terms end at ${LIMITS.priceVariesTimes} times the median of the usual input.`,
    fix: 'Ask one price, or declare the range: by the scheme `upto`, by tiers in one challenge, or by the input that it follows.',
    raise: ({ ranges, nearPrices, followedUndeclared }) => [
      ...ofRecords(ranges.filter(isVaried)),
      ...ofIds(nearPrices),
      ...ofIds(followedUndeclared?.ids),
    ],
    describe({ ranges, nearPrices, followedUndeclared }) {
      const varied = ranges.filter(isVaried).slice(0, 2).map(describeRange)
      const ofRanges = `${varied.join(' ')} Clears when ${LIMITS.priceVariesProbes} equal requests in a row differ by at most ${LIMITS.priceVariesTimes} times.`
      const ofClients = `Clients get prices within ${LIMITS.priceJumpPct} % of one another. Clears ${days(LIMITS.cloakMemoryMs)} after all get the same.`
      return [
        ...(varied.length > 0 ? [ofRanges] : []),
        ...(varied.length === 0 && nearPrices !== null ? [ofClients] : []),
        ...(followedUndeclared === null ? [] : [describeFollowed(followedUndeclared)]),
      ].join(' ')
    },
  },
} as const satisfies Partial<Record<Flag, FlagRule>>

/** Flags of how much is asked: more than was listed, or than elsewhere. */
export const PRICES = {
  price_bait: {
    meaning: `The lowest price of the challenge is more than ${LIMITS.priceBaitTimes} times the one in the seller's own document, which was read since, in two probes a day apart.`,
    fix: 'State the asked price in the document, or ask the stated price.',
    raise: ({ bait }) => (bait === null ? [] : [[bait.first, bait.last, ...bait.readings]]),
    describe: ({ bait }) =>
      `${describeDearer(bait)} Clears when it asks at most ${LIMITS.priceBaitTimes} times what it says.`,
    needs: LISTED_PRICE,
  },
  price_differs: {
    meaning: `The lowest price of the challenge is over ${LIMITS.priceDiffersPct} % above the one in the seller's own document, which was read since. The challenge says so before anybody pays.`,
    fix: 'State the asked price in the document, or ask the stated price.',
    raise: ({ bait, dearer }) =>
      dearer === null || bait !== null ? [] : [[dearer.first, dearer.last, ...dearer.readings]],
    describe: ({ dearer }) =>
      `${describeDearer(dearer)} Clears when it asks at most ${LIMITS.priceDiffersPct} % more than it says.`,
    needs: LISTED_PRICE,
  },
  price_drift: {
    meaning: 'The challenge asks a different price than an old or third-party listing.',
    fix: 'Refresh the listing so that it states the price in the challenge.',
    raise({ dearer, latest, latestListings }) {
      const last = latest.slice(-1)
      const isDrift = dearer === null && last.some((probe) => hasDrift(askedUsd(probe), latestListings))
      return isDrift ? [[...last, ...latestListings]] : []
    },
    describe({ latest, latestListings }) {
      const asked = latest.map(askedUsd).at(-1) ?? null
      const claims = latestListings.filter((listing) => hasDrift(asked, [listing]))
      const said = claims.map((one) => `${dollars(claimedUsd(one))} in ${cut(one.directory)}`).join(', ')
      return `It asks ${dollars(asked)}, and is listed at ${said}. Clears when both state one price.`
    },
    needs: LISTED_PRICE,
  },
  price_high: {
    meaning: `The price of the dearest offer that is vouched for, of any network and asset, is above $${LIMITS.priceHighUsd.toFixed(2)} and more than ${LIMITS.priceHighTimesMedian} times the median of its category, or above $${LIMITS.priceHighAloneUsd} if fewer than ${LIMITS.priceHighComparable} endpoints are comparable. Without a real category ("uncategorized", "other" and the like, or one with more than ${LIMITS.categoryMaxSharePct} % of all endpoints) it is above $${LIMITS.priceHighAloneUsd} and more than ${LIMITS.priceHighTimesMedian} times the median of everything listed.`,
    fix: 'List the endpoint in the right category, or state in the description what the price buys.',
    raise({ latest, comparable }) {
      const last = latest.slice(-1)
      return last.some((probe) => isHigh(dearestOffer(probe)?.usd ?? 0, comparable)) ? [last] : []
    },
    describe({ latest, comparable }) {
      const dearest = latest.map(dearestOffer).at(-1)
      const than =
        comparable === undefined || comparable.count < LIMITS.priceHighComparable
          ? 'too few are comparable'
          : `the median of ${comparable.count} comparable is ${formatDollars(comparable.medianUsd)}`
      return `It asks ${dollars(dearest?.usd ?? null)}; ${than}. Clears at ${formatDollars(highestUsualUsd(comparable))} or less.`
    },
    needs: {
      isThere: ({ categoryPrice }) => categoryPrice !== null,
      lacks: 'there is no price to compare with',
    },
  },
} as const satisfies Partial<Record<Flag, FlagRule>>

function describeDearer(dearer: DearerThanClaim | null): string {
  const { askedUsd, claimUsd, first, listing } = dearer ?? {}
  return `It asks $${askedUsd} since ${on(first?.at ?? 0)}; its own document says $${claimUsd}, as read on ${on(listing?.claimedAt ?? 0)}.`
}

function describeRange({ offer, isUsd, counts, median }: PriceRange): string {
  const total = counts.reduce((sum, [, probes]) => sum + probes, 0)
  const shown = [...new Map([...counts.slice(0, 2), ...counts.slice(-2)])]
  const say = (amount: bigint) => (isUsd ? formatDollars(Number(amount) / MICRO_DOLLARS) : `${amount}`)
  const parts = shown.map(([amount, probes]) => `${say(amount)} in ${probes}`).join(', ')
  const unit = isUsd ? '' : ` atomic units of ${cut(offer.asset)}`
  return `Of the last ${total} equal requests, it asked for ${parts}${unit}; the median is ${say(median)}.`
}
