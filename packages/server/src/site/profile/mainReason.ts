import type { Reason } from '@touchstone402/shared'
import { transactionProof } from '../../domain/facts/explorer.ts'
import { hasTerms, type Observation } from '../../domain/facts/facts.ts'
import type { EndpointState } from '../../domain/facts/hostDocument.ts'
import { FLAG_SPECS } from '../../domain/judge/spec.ts'
import { isPublished } from '../../domain/publish/publishedLook.ts'
import { readSides } from '../../domain/publish/sides.ts'
import { whyHostUnknown } from '../../domain/publish/whyUnknown.ts'
import { describeOffer, linkTo, type ShownSide, showPurchase, showSide } from '../components/sides.tsx'
import { formatUsd, plural } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { cleanText } from '../text.ts'
import type { ProfileView } from './loadProfile.ts'

/** What the verdict on a host rests on, in one sentence, and what was measured on both sides of it. */
export type MainReason = { readonly text: string; readonly sides: readonly ShownSide[] }

type Store = Pick<PageDeps['store'], 'looks'>

/** Length of a reason that leaves room for both sides on a small screen. */
const MAX_SENTENCE = 180
const MAX_RULE = 110
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
    .sort((a, b) => Number(ACCUSATIONS.has(a.reason.code)) - Number(ACCUSATIONS.has(b.reason.code)))[0]
  const advice = verdict === 'avoid' ? 'Do not pay this service.' : 'Read the reasons before paying.'
  if (found === undefined) return { text: `There is little evidence. ${advice}`, sides: measuredSides(view) }
  const looks = found.reason.evidence.flatMap((id) => view.observations.get(id) ?? [])
  const given = { ...found, looks, store, view }
  const { code, message } = found.reason
  const sides = (await PAIRS[code]?.(given)) ?? []
  const isCompared = sides.length > 1
  // Values that stand beside each other are not repeated; all of it stands among the findings.
  const said = isCompared ? meaningOf(code) : undefined
  return {
    text: `${cleanText(said ?? splitMessage(message).measured, MAX_SENTENCE)} ${advice}`,
    sides: isCompared ? sides : rulePair(given),
  }
}

const meaningOf = (code: string) => Object.entries(FLAG_SPECS).find(([flag]) => flag === code)?.[1].meaning

const ACCUSATIONS: ReadonlySet<string> = new Set([
  'receiver_flagged',
  'host_accused',
  'receiver_accused_elsewhere',
])

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
  return [
    {
      label: 'Receiver',
      values: [{ text: RECEIVER_TEXTS[state.receiverStability ?? 'none'] }],
      from: period && Date.parse(period.from),
      to: state.lastChecked ?? now,
      links: [],
    },
    bought === undefined
      ? { label: 'Delivery', values: [{ text: 'not tested: no purchase yet' }], links: [] }
      : {
          label: 'Delivery',
          values: [{ text: `${bought.delivered ? 'delivered' : 'not delivered'} after a test purchase` }],
          from: bought.at,
          links: transactionLink(bought),
        },
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

type Pair = (given: Given) => readonly ShownSide[] | Promise<readonly ShownSide[]>

/** Both sides of each kind of finding. Without an entry here: the rule, and what was measured. */
const PAIRS: Readonly<Record<string, Pair | undefined>> = {
  ...Object.fromEntries(
    ['dark', 'invalid', 'degraded', 'refused', 'score_recovering', 'flaky'].map((code) => [code, answerPair]),
  ),
  ...Object.fromEntries(
    ['payto_changed', 'payto_rotates', 'receiver_unconfirmed', 'terms_disagree', 'terms_unproven']
      .concat('cloaked', 'protocols_disagree', 'price_bait')
      .map((code) => [code, termsPair]),
  ),
  no_delivery: ({ reason, view: { purchases } }) => {
    const last = purchases.findLast(({ id }) => reason.evidence.includes(id))
    return last === undefined ? [] : showPurchase(last)
  },
}

/** The last answer with terms, and the failures since. */
async function answerPair({ state, looks, store, view: { now } }: Given): Promise<ShownSide[]> {
  const { endpoint, darkSince, uptime, lastChecked } = state
  const recent = await store.looks(endpoint, { to: darkSince ?? now, newest: SEARCHED })
  const answered = recent.findLast((look) => hasTerms(look) && look.at < (looks[0]?.at ?? now))
  const failed = looks.length > 0 ? looks : recent.filter(({ outcome }) => outcome === 'down').slice(-2)
  const texts = new Set(
    failed.map(({ httpStatus, cause }) =>
      httpStatus === null ? cause.replaceAll('_', ' ') : `HTTP ${httpStatus}`,
    ),
  )
  const share =
    darkSince === null && looks.length === 0 ? ` in ${uptime.down} of ${uptime.up + uptime.down} probes` : ''
  return [
    {
      label: 'Last answered with terms',
      values:
        answered === undefined
          ? [{ text: 'not in the probes that are kept' }]
          : answered.offers.map(describeOffer),
      from: answered?.at,
      links: answered !== undefined && isPublished(answered, now) ? [linkTo(answered)] : [],
    },
    {
      label: darkSince === null ? 'Failed' : 'Since then',
      values: [{ text: `${[...texts].join(', ') || 'no answer'}${share}` }],
      from: darkSince ?? failed[0]?.at,
      to: darkSince === null ? failed.at(-1)?.at : (lastChecked ?? undefined),
      links: looks.map(linkTo),
    },
  ]
}

/** Terms that differ: between clients, over time, or from the listing. */
async function termsPair({ state, reason, looks, store }: Given): Promise<ShownSide[]> {
  const listings = state.listings.filter(({ id }) => reason.evidence.includes(id))
  const sides = await readSides(store, looks, listings)
  return sides.map((side) => showSide(side, ({ id }) => reason.evidence.includes(id)))
}

/** The rule of a flag, and what was measured. */
function rulePair({ reason: { code, message }, looks }: Given): ShownSide[] {
  const rule = meaningOf(code)
  if (rule === undefined) return []
  const last = looks.at(-1)
  return [
    { label: 'Rule', values: [{ text: cleanText(rule, MAX_RULE) }], links: [] },
    {
      label: 'Measured',
      values: [{ text: splitMessage(message).measured }],
      from: last?.at,
      links: looks.map(linkTo),
    },
  ]
}

const transactionLink = ({ network, txHash }: ProfileView['purchases'][number]) =>
  txHash === null ? [] : [{ href: transactionProof(network, txHash, null).explorerUrl, text: 'Transaction' }]
