import type { Reason } from '@touchstone402/shared'
import { hasTerms, isDeclaredByHost, type Observation } from '../../domain/facts/facts.ts'
import type { EndpointState } from '../../domain/facts/hostDocument.ts'
import { FLAG_SPECS, LIMITS } from '../../domain/judge/spec.ts'
import { isPublished } from '../../domain/publish/publishedLook.ts'
import { readSides } from '../../domain/publish/sides.ts'
import { whyHostUnknown } from '../../domain/publish/whyUnknown.ts'
import { INCIDENT_NAMES } from '../components/incidentList.tsx'
import {
  describeAnswer,
  describeOffer,
  linkTo,
  linkTransaction,
  type ShownSide,
  showListing,
  showPurchase,
  showSide,
} from '../components/sides.tsx'
import { formatUsd, plural } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { incidentPath } from '../paths.ts'
import { cleanText } from '../text.ts'
import type { ProfileView } from './loadProfile.ts'

/** What the verdict on a host rests on, in one sentence, and what was measured on both sides of it. */
export type MainReason = { readonly text: string; readonly sides: readonly ShownSide[] }

type Store = Pick<PageDeps['store'], 'looks' | 'receiver'>

const MAX_SENTENCE = 300
/** Probes in which the last answer before an outage, and the last failures, are searched. */
const SEARCHED = 200

/** Splits the message of a reason into what was measured and the rule that ends it. */
export function splitMessage(message: string): {
  readonly measured: string
  readonly clears: string | undefined
} {
  const [, measured = message, clears] = /^(.*?) ?(Clears .*)$/s.exec(message) ?? []
  return { measured, clears }
}

/** Reads the main reason for the verdict on a host. */
export async function readMainReason(store: Store, view: ProfileView): Promise<MainReason> {
  const { profile, shown } = view
  const { verdict } = profile
  if (verdict === 'unknown') return { text: explainUnknown(view), sides: [] }
  if (verdict === 'safe') return { text: explainSafe(view), sides: measuredSides(view) }
  const severity = verdict === 'avoid' ? 'critical' : 'warn'
  const found = shown
    .filter((one) => one.verdict === verdict)
    .flatMap(({ state }) => state.reasons.map((reason) => ({ state, reason })))
    .filter(({ reason }) => reason.severity === severity)
    // What was measured here goes before what is known from elsewhere.
    .sort((a, b) => Number(isAccusation(a.reason)) - Number(isAccusation(b.reason)))[0]
  const advice = verdict === 'avoid' ? 'Do not pay this service.' : 'Read the reasons before paying.'
  if (found === undefined) return { text: `There is little evidence. ${advice}`, sides: measuredSides(view) }
  const looks = found.reason.evidence.flatMap((id) => view.observations.get(id) ?? [])
  const { code, message } = found.reason
  const pair = PAIRS[code]
  const sides = (await pair?.({ ...found, looks, store, view })) ?? []
  const { measured } = splitMessage(message)
  const meaning = Object.entries(FLAG_SPECS).find(([flag]) => flag === code)?.[1].meaning ?? measured
  // Terms that stand beside each other are not repeated, where that is shorter; all of it stands among the findings.
  const isRepeated = pair === termsPair && sides.length > 1 && meaning.length < measured.length
  return { text: `${cleanText(isRepeated ? meaning : measured, MAX_SENTENCE)} ${advice}`, sides }
}

const isAccusation = ({ code }: Reason) => PAIRS[code] === accusedPair

const UNKNOWN_SENTENCES = {
  declined: 'This host declines probes, so nothing is measured. Unknown is not safe.',
  never: 'Not measured yet. Run a live check before paying.',
  expired: 'No recent measurement of this service. Run a live check before paying.',
  elsewhere: 'Every offer is on a network, or in a form, that is not known here. Nothing can be said of it.',
  unlisted:
    'Visitors alone named what was probed here: no document of the host and no directory lists an endpoint, so nothing is said of the host.',
}

function explainUnknown({ profile, endpoints, now }: ProfileView): string {
  const why = whyHostUnknown(
    endpoints.map(({ state }) => state),
    now,
  )
  const risk = profile.riskLevel === 'high' ? 'It was found at high risk, which still stands. ' : ''
  return risk + UNKNOWN_SENTENCES[why]
}

function explainSafe({ profile, endpoints }: ProfileView): string {
  const prices = endpoints.flatMap(({ state, status }) => (status === 'live' ? (state.priceUsd ?? []) : []))
  const most = prices.length === 0 ? '' : ` at up to ${formatUsd(Math.max(...prices))} per call`
  return profile.flags.length === 0
    ? `No finding against paying this service${most}, on the terms below.`
    : `No serious finding against paying this service${most}; ${plural(profile.flags.length, 'minor finding')} below.`
}

/** What was measured where no finding stands: the receiver, and whether a payment was answered. */
function measuredSides({ focus: { state }, history, purchases, now }: ProfileView): ShownSide[] {
  const period = history.payToHistory.at(-1)
  const bought = purchases.findLast((one) => one.endpoint === state.endpoint && one.settled)
  const delivery = bought && `${bought.delivered ? 'delivered' : 'not delivered'} after a test purchase`
  return [
    say('Receiver', RECEIVER_TEXTS[state.receiverStability ?? 'none'], {
      from: period && Date.parse(period.from),
      to: state.lastChecked ?? now,
    }),
    say('Delivery', delivery ?? 'not tested: no purchase yet', {
      from: bought?.at,
      links: bought === undefined ? [] : linkTransaction(bought),
    }),
  ]
}

const RECEIVER_TEXTS = {
  stable: 'the same in every probe',
  new: 'seen too recently to call stable',
  changed: 'another one than before',
  none: 'not known',
}

type Given = {
  readonly state: EndpointState
  readonly reason: Reason
  /** Probes that the reason cites. */
  readonly looks: readonly Observation[]
  readonly store: Store
  readonly view: ProfileView
}

/** Both sides of a kind of finding, the newest or accused one last. */
type Pair = (given: Given) => readonly ShownSide[] | Promise<readonly ShownSide[]>

/** A side of one value. */
const say = (label: string, text: string, more: Partial<ShownSide> = {}): ShownSide => ({
  ...{ label, values: [{ text }], links: [], ...more },
})

/** What the cited probes were asked to pay, or the receiver where none is cited. */
function asksFor({ looks, state: { payTo, network } }: Given): ShownSide {
  const offers = looks.flatMap((look) => look.offers.map(describeOffer))
  const values = [...new Map(offers.map((offer) => [offer.text, offer])).values()]
  const named = payTo === null || network === null ? [] : [{ text: `payment to ${payTo}`, network }]
  const [from, to] = [looks[0]?.at, looks.at(-1)?.at]
  return { label: 'It asks', values: values.length > 0 ? values : named, from, to, links: looks.map(linkTo) }
}

/** What kinds of findings expect in place of what an endpoint asks for. */
const EXPECTED: Readonly<Record<string, string>> = {
  network_testnet: 'an offer on a mainnet',
  asset_unknown: 'USDC, or another stablecoin that its issuer names there',
  scheme_unsafe: 'a form of payment that a specification publishes',
  receiver_unverified: 'an address that somebody can be paid at',
  receiver_sanctioned: 'a receiver that the sanctions oracle does not list',
  price_varies: 'one price for equal requests',
  resource_mismatch: 'a challenge for the URL that was asked',
}

const pairsOf = (pair: Pair, ...codes: readonly string[]) =>
  Object.fromEntries(codes.map((code) => [code, pair]))

const PAIRS: Readonly<Record<string, Pair | undefined>> = {
  ...pairsOf(answerPair, 'dark', 'invalid', 'degraded', 'refused', 'score_recovering', 'flaky'),
  ...pairsOf(termsPair, 'payto_changed', 'payto_rotates', 'receiver_unconfirmed', 'terms_disagree'),
  ...pairsOf(termsPair, 'terms_unproven', 'cloaked', 'protocols_disagree'),
  ...pairsOf(ownPair, 'price_bait', 'receiver_differs_from_listing'),
  ...pairsOf(accusedPair, 'receiver_flagged', 'host_accused', 'receiver_accused_elsewhere'),
  ...pairsOf(
    (given) => [say('Expected', EXPECTED[given.reason.code] ?? ''), asksFor(given)],
    ...Object.keys(EXPECTED),
  ),
  price_high: (given) => {
    const { categoryPrice } = given.state
    const { medianUsd = null, count = 0, isWhole = false } = categoryPrice ?? {}
    const usual =
      count < LIMITS.priceHighComparable
        ? `too few to compare, so at most ${formatUsd(LIMITS.priceHighAloneUsd)}`
        : `${formatUsd(medianUsd)} (median of ${count})`
    return [say(isWhole ? 'Usual of all that is listed' : 'Usual for its category', usual), asksFor(given)]
  },
  receiver_never_paid: async ({ state: { listings, network, payTo }, store }) => {
    const claim = listings.findLast(({ claims }) => (claims.calls ?? 0) >= LIMITS.neverPaidCalls)
    const record = network && payTo && (await store.receiver(network, payTo)).at(-1)
    if (claim === undefined || !record) return []
    const { receiptsEver, blockNumber, at } = record
    const read = `${plural(receiptsEver, 'USDC receipt')} up to block ${blockNumber.toLocaleString('en-US')}`
    return [
      say(`Listing on ${claim.directory} claims`, plural(claim.claims.calls ?? 0, 'call'), {
        from: claim.at,
      }),
      say('Its receiver has', read, { from: at }),
    ]
  },
  no_delivery: ({ reason, view: { purchases } }) =>
    purchases
      .filter(({ id }) => reason.evidence.includes(id))
      .slice(-1)
      .flatMap(showPurchase),
}

/** The last answer with terms, and the failures since. */
async function answerPair({ state, looks, store, view: { now } }: Given): Promise<ShownSide[]> {
  const { endpoint, darkSince, uptime, lastChecked } = state
  const before = looks[0]?.at ?? now
  const probes = uptime.up + uptime.down
  const recent = await store.looks(endpoint, { to: darkSince ?? now, newest: SEARCHED })
  const answered = recent.findLast((look) => hasTerms(look) && look.at < before)
  const failed = looks.length > 0 ? looks : recent.filter(({ outcome }) => outcome === 'down').slice(-2)
  const texts = [...new Set(failed.map(describeAnswer))].join(', ') || 'no answer'
  const share = darkSince === null && looks.length === 0 ? ` in ${uptime.down} of ${probes} probes` : ''
  return [
    say('Last answered with terms', `never, in ${plural(probes, 'probe')} of 30 days`, {
      ...(answered && { values: answered.offers.map(describeOffer), from: answered.at }),
      links: answered !== undefined && isPublished(answered, now) ? [linkTo(answered)] : [],
    }),
    say(darkSince === null ? 'Failed' : 'Since then', texts + share, {
      from: darkSince ?? failed[0]?.at,
      to: darkSince === null ? failed.at(-1)?.at : (lastChecked ?? undefined),
      links: looks.map(linkTo),
    }),
  ]
}

/** Terms that differ between clients or over time. */
async function termsPair({ reason, looks, store }: Given): Promise<ShownSide[]> {
  const sides = await readSides(store, looks)
  return sides.map((side) => showSide(side, ({ id }) => reason.evidence.includes(id)))
}

/** The claim of the host's own document, and what the endpoint asks for. */
function ownPair(given: Given): ShownSide[] {
  const { state, reason } = given
  const own = state.listings.filter(isDeclaredByHost)
  // The cited listing may have been read again since.
  const listing = own.find(({ id }) => reason.evidence.includes(id)) ?? own.at(-1)
  if (listing === undefined) return []
  return [{ ...showListing(listing), label: 'Its own document says' }, asksFor(given)]
}

/** The incident that counts against the endpoint, and what the endpoint asks for. */
function accusedPair(given: Given): ShownSide[] {
  const found = given.state.accusations?.find(({ incident }) => given.reason.evidence.includes(incident))
  if (found === undefined) return []
  const links = [{ href: incidentPath(found.incident), text: 'Incident' }]
  const { kind, host, detectedAt } = found
  return [say(INCIDENT_NAMES[kind], `incident at ${host}`, { from: detectedAt, links }), asksFor(given)]
}
