import { isFlag } from '@touchstone402/shared'
import { hasTerms, type Time } from '../../facts/facts.ts'
import { toDate } from '../../facts/times.ts'
import { NEVER_BOUGHT } from '../../judge/delivery.ts'
import { FLAG_RULES } from '../../judge/flags.ts'
import { LIMITS } from '../../judge/spec.ts'
import { publishedFrom } from '../../publish/publishedInputs.ts'
import { isPublished } from '../../publish/publishedObservation.ts'
import { citedListing, listedSide, readSides } from '../../publish/sides.ts'
import { whyHostUnknown } from '../../publish/whyUnknown.ts'
import { readPurchases } from '../../store/facts.ts'
import { readObservations } from '../../store/observations.ts'
import type { Store } from '../../store/store.ts'
import { INCIDENT_NAMES } from '../components/incidentList.tsx'
import {
  describeAnswer,
  linkTransaction,
  type ShownSide,
  showPurchase,
  showSide,
} from '../components/sides.tsx'
import { formatUsd, plural } from '../format.ts'
import { incidentPath } from '../paths.ts'
import { cleanText } from '../text.ts'
import type { Finding } from './finding.ts'
import type { VerdictView } from './loadProfile.ts'

/** Main reason for the verdict on a host, in one sentence, and the measurements it compares. */
export type MainReason = { readonly text: string; readonly sides: readonly ShownSide[] }

/** A finding, and the time at which it is shown. */
type Timed = Finding & { readonly now: Time }

const MAX_SENTENCE = 300
/** Probes in which the last answer before an outage is searched. */
const SEARCHED = 200

/** Splits the message of a reason into what was measured and the rule that ends it. */
export function splitMessage(message: string) {
  const [, measured = message, clears] = /^(.*?) ?(Clears .*)$/s.exec(message) ?? []
  return { measured, clears }
}

/** Reads the main reason for the verdict on a host. */
export async function readMainReason(store: Store, view: VerdictView): Promise<MainReason> {
  const { profile, findings, endpoints, now } = view
  const { verdict, flags } = profile
  if (verdict === 'unknown') {
    const states = endpoints.map(({ state }) => state)
    const risk = profile.riskLevel === 'high' ? 'It was found at high risk, which still stands. ' : ''
    return { text: risk + UNKNOWN_SENTENCES[whyHostUnknown(states, now)], sides: [] }
  }
  const found = findings.find((one) => one.verdict === verdict && one.severity !== 'info')
  if (verdict === 'safe' || found === undefined) {
    const minor = flags.length === 0 ? '' : `; ${plural(flags.length, 'minor finding')} below`
    const safe = `No ${minor && 'serious '}finding against paying this service on the terms below${minor}.`
    const text = verdict === 'safe' ? safe : `There is little evidence. ${ADVICE[verdict]}`
    return { text, sides: await readMeasured(store, view) }
  }
  const timed = { ...found, now }
  const pair = await readPair(store, timed)
  const sides = pair ?? (await readTerms(store, timed))
  const { measured } = splitMessage(found.message)
  const meaning = isFlag(found.code) ? FLAG_RULES[found.code].meaning : measured
  // Terms that stand beside each other are not repeated; all of it stands among the findings.
  const isRepeated = pair === undefined && sides.length > 1 && meaning.length < measured.length
  return { text: `${cleanText(isRepeated ? meaning : measured, MAX_SENTENCE)} ${ADVICE[verdict]}`, sides }
}

const ADVICE = { avoid: 'Do not pay this service.', caution: 'Read the reasons before paying.' }
const UNKNOWN_SENTENCES = {
  declined: 'This host declines probes, so nothing is measured. Unknown is not safe.',
  unread:
    'The documents of this host could not be read in time, so its audit is not finished. They are read again soon.',
  never: 'Not measured yet. Run a live check before paying.',
  expired: 'No recent measurement of this service. Run a live check before paying.',
  elsewhere: 'Every offer is on a network, or in a form, that is not known here, so it was not judged.',
}

/**
 * Reads what was measured where no finding stands: the receiver, and the delivery as verdicts state it. A purchase is
 * linked once it is published, since its time and transaction show the seller which payment was the test.
 */
async function readMeasured(store: Store, { focus: { state }, now }: VerdictView): Promise<ShownSide[]> {
  const { endpoint, host, payToHistory, receiverStability, lastChecked, delivery } = state
  const { status, month } = delivery ?? NEVER_BOUGHT
  const [from] = payToHistory.slice(-1).map((period) => Date.parse(period.from))
  const stated = status === 'delivered' ? 'delivered' : status === 'failed' ? 'not delivered' : null
  const purchases = await readPurchases(store, host)
  const published = purchases.findLast(
    (one) =>
      one.endpoint === endpoint &&
      one.settled &&
      one.delivered === (status === 'delivered') &&
      toDate(one.at).slice(0, 7) === month &&
      publishedFrom(one) <= now,
  )
  const text = stated === null ? 'not tested: no purchase yet' : `${stated} after a test purchase in ${month}`
  return [
    say('Receiver', receiverStability ?? 'not known', { from, to: lastChecked ?? now }),
    say('Delivery', text, { links: published === undefined ? [] : linkTransaction(published) }),
  ]
}

/** A side of one value. */
const say = (label: string, text: string, more: Partial<ShownSide> = {}): ShownSide => ({
  label,
  values: [{ text }],
  links: [],
  ...more,
})

const OUTAGES: readonly string[] = ['dark', 'invalid', 'degraded', 'refused', 'score_recovering', 'flaky']

/** Reads both sides of a finding, the newest or accused one last; undefined if they are the terms of its probes. */
async function readPair(store: Store, finding: Timed): Promise<ShownSide[] | undefined> {
  const { code, evidence, state } = finding
  if (OUTAGES.includes(code)) return readOutage(store, finding)
  if (code !== 'no_delivery') return PAIRS[code]?.(finding)
  const bought = (await readPurchases(store, state.host)).findLast(({ id }) => evidence.includes(id))
  return bought && showPurchase(bought)
}

const expected = (text: string) => (finding: Timed) => [say('Expected', text), asksFor(finding)]

/** Compares the host's own document with its challenge. */
function showListed(finding: Timed): ShownSide[] | undefined {
  const listing = citedListing(finding.state.listings, finding.evidence)
  return listing && [showSide(listedSide(listing), () => true, finding.now), asksFor(finding)]
}

/** Expected and measured side, by kind of finding. */
const PAIRS: Readonly<Record<string, ((finding: Timed) => ShownSide[] | undefined) | undefined>> = {
  network_testnet: expected('an offer on a mainnet'),
  asset_unknown: expected('USDC, or another stablecoin that its issuer names there'),
  scheme_unsafe: expected('a form of payment that a specification publishes'),
  receiver_unverified: expected('an address that can be paid'),
  receiver_sanctioned: expected('a receiver that the sanctions oracle does not list'),
  price_varies: expected('one price for equal requests'),
  resource_mismatch: expected('a challenge for the URL that was asked'),
  price_high: (finding) => {
    const { medianUsd = null, count = 0, isWhole = false } = finding.state.categoryPrice ?? {}
    const isAlone = count < LIMITS.priceHighComparable
    const alone = `too few to compare, so at most ${formatUsd(LIMITS.priceHighAloneUsd)}`
    const usual = isAlone ? alone : `${formatUsd(medianUsd)} (median of ${count})`
    return [say(isWhole ? 'Usual of all that is listed' : 'Usual for its category', usual), asksFor(finding)]
  },
  receiver_never_paid: ({ state: { listings } }) => {
    const claim = listings.findLast(({ claims }) => (claims.calls ?? 0) >= LIMITS.neverPaidCalls)
    const calls = plural(claim?.claims.calls ?? 0, 'call')
    const side = claim && say(`Listing on ${claim.directory} claims`, calls, { from: claim.at })
    return side && [side, say('Its receiver has', 'no USDC receipts')]
  },
  price_bait: showListed,
  price_differs: showListed,
  receiver_differs_from_listing: showListed,
  receiver_flagged: showAccusation,
  host_accused: showAccusation,
  receiver_accused_elsewhere: showAccusation,
}

/** The incident that counts against the endpoint, and what that asks for. */
function showAccusation(finding: Timed): ShownSide[] | undefined {
  const found = finding.state.accusations?.find(({ incident }) => finding.evidence.includes(incident))
  if (found === undefined) return undefined
  const { incident, kind, host, detectedAt } = found
  const links = [{ href: incidentPath(incident), text: 'Incident' }]
  return [say(INCIDENT_NAMES[kind], `incident at ${host}`, { from: detectedAt, links }), asksFor(finding)]
}

/** Returns the offers of the cited probes, or the receiver if none is cited. */
function asksFor({ observations, state: { payTo, network }, now }: Timed): ShownSide {
  const side = {
    title: 'It asks',
    offers: observations.flatMap(({ offers }) => offers),
    observations,
    clients: [],
  }
  const shown = showSide(side, () => true, now)
  const named = payTo === null || network === null ? [] : [{ text: `payment to ${payTo}`, network }]
  return shown.values.length > 0 ? shown : { ...shown, values: named }
}

/** The last answer with terms, and the failures since. */
async function readOutage(store: Store, finding: Timed): Promise<ShownSide[]> {
  const { state, observations, now } = finding
  const { endpoint, darkSince, uptime, lastChecked } = state
  const from = darkSince ?? observations[0]?.at
  const recent = await readObservations(store, endpoint, { to: from ?? now, newest: SEARCHED })
  const answered = recent.findLast(hasTerms)
  const probes = plural(uptime.up + uptime.down, 'probe')
  const never = `never, in ${probes} of 30 days`
  const texts = [...new Set(observations.map(describeAnswer))].join(', ')
  const failed = texts || `${uptime.down} of ${probes} of 30 days`
  const title = 'Last answered with terms'
  const asked = asksFor(finding)
  return [
    answered === undefined
      ? say(title, uptime.up === 0 ? never : 'no earlier answer is kept')
      : showSide(
          { title, offers: answered.offers, observations: [answered], clients: [] },
          (observation) => isPublished(observation, now),
          now,
        ),
    say(darkSince === null ? 'Failed' : 'Since then', failed, {
      from,
      to: darkSince === null ? observations.at(-1)?.at : (lastChecked ?? undefined),
      links: asked.links,
    }),
  ]
}

/** Terms that differ between clients or over time. */
async function readTerms(store: Store, { evidence, observations, now }: Timed): Promise<ShownSide[]> {
  const sides = await readSides((...of) => readObservations(store, ...of), observations)
  return sides.map((side) => showSide(side, ({ id }) => evidence.includes(id), now))
}
