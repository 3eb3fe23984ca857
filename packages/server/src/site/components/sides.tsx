import { atomicToUsd, findKnownNetwork } from '@touchstone402/shared'
import { nameClient } from '../../facts/clientIdentities.ts'
import { transactionProof } from '../../facts/explorer.ts'
import {
  hasTerms,
  isDeclaredByHost,
  type Observation,
  type ObservedOffer,
  type Purchase,
  type Time,
} from '../../facts/facts.ts'
import { toDate } from '../../facts/times.ts'
import { claimedUsd } from '../../judge/prices.ts'
import { isWithheld } from '../../publish/publishedObservation.ts'
import { SHOWN_TO, type Side, spanOf } from '../../publish/sides.ts'
import { formatTime, formatUsd, plural } from '../format.ts'
import { probePath } from '../paths.ts'
import { cleanText } from '../text.ts'
import { Measured, OutLink } from './prose.tsx'

/** One side of a finding: the measurement, its time and its source. */
export type ShownSide = {
  /** Such as "Before", "Listed on bazaar", "Shown to python-httpx", "Paid". */
  readonly label: string
  /** Measured values, with full addresses; the network selects their block explorer. */
  readonly values: readonly { readonly text: string; readonly network?: string | null }[]
  /** First and last time of the measurement. @default not shown */
  readonly from?: Time | undefined
  readonly to?: Time | undefined
  /** Whether the day alone is shown of these times. @default false */
  readonly isByDay?: boolean
  /** Public probes, incidents or transactions behind it. */
  readonly links: readonly { readonly href: string; readonly text: string }[]
}

const SHOWN_VALUES = 4
const SHOWN_LINKS = 2
const MAX_VALUE = 500

/** Two or more sides of a finding beside each other, the newest last. */
export function Sides({ sides }: { readonly sides: readonly ShownSide[] }) {
  return (
    <div class="sides">
      {sides.map(({ label, values, from, to, isByDay, links }) => (
        <dl class="side">
          <dt>{cleanText(label, 60)}</dt>
          {values.slice(0, SHOWN_VALUES).map(({ text, network }) => (
            <dd>
              <Measured text={text} max={MAX_VALUE} network={network ?? undefined} />
            </dd>
          ))}
          {values.length > SHOWN_VALUES && <dd class="muted">and {values.length - SHOWN_VALUES} more</dd>}
          <dd class="when">
            {[
              ...new Set([from, to].flatMap((time) => (time ? (isByDay ? toDate : formatTime)(time) : []))),
            ].join(' to ')}
            {links.slice(0, SHOWN_LINKS).map(({ href, text }) => (
              <> {href.startsWith('/') ? <a href={href}>{text}</a> : <OutLink href={href}>{text}</OutLink>}</>
            ))}
          </dd>
        </dl>
      ))}
    </div>
  )
}

/**
 * Describes a side of stored terms. Clients and exact times are shown once they are published of all its probes.
 * @param isPublic whether a probe may be linked
 */
export function showSide(side: Side, isPublic: (observation: Observation) => boolean, now: Time): ShownSide {
  const { title, offers, observations, clients, listing } = side
  if (listing !== undefined) {
    const { payTo, network } = listing.claims
    const usd = claimedUsd(listing)
    const text = `${usd === null ? 'no price' : formatUsd(usd)}${payTo === null ? '' : ` to ${payTo}`}`
    const label = isDeclaredByHost(listing) ? 'Its own document says' : title
    return { label, values: [{ text, network }], from: listing.claimedAt ?? undefined, links: [] }
  }
  const isByDay = observations.some((observation) => isWithheld(observation, now))
  const who = isByDay ? plural(clients.length, 'client') : clients.map(nameClient).join(', ')
  const label = title === SHOWN_TO ? `Shown to ${who}` : title
  const values = new Map(offers.map(describeOffer).map((value) => [value.text, value]))
  return {
    label,
    values: [...values.values()],
    ...spanOf(side),
    isByDay,
    links: observations.filter(isPublic).map(linkTo),
  }
}

/** Describes a test purchase: the payment and the answer. */
export function showPurchase(purchase: Purchase): ShownSide[] {
  const { at, askedAt = at, answeredAt, network, payTo, amountAtomic, settled, httpStatus } = purchase
  // Test purchases pay in USDC.
  const paid = `${formatUsd(Number(amountAtomic) / 1e6)} in USDC to ${payTo}${settled ? '' : ', not settled'}`
  const kept = httpStatus === null ? 'no answer' : `HTTP ${httpStatus}`
  const answer = { text: httpStatus === undefined ? 'the answer was not kept' : kept }
  const label = purchase.delivered ? 'Delivered' : 'Not delivered'
  return [
    { label: 'Paid', values: [{ text: paid, network }], from: askedAt, links: linkTransaction(purchase) },
    { label, values: [answer], from: answeredAt ?? undefined, links: [] },
  ]
}

/** Link to the transaction of a purchase, if it has one. */
export const linkTransaction = ({ network, txHash }: Purchase) =>
  txHash === null ? [] : [{ href: transactionProof(network, txHash, null).explorerUrl, text: 'Transaction' }]

/** Link to a probe. */
const linkTo = ({ id, endpoint }: Observation) => ({ href: probePath(id, endpoint), text: 'Probe' })

type ProbeItemProps = {
  readonly observation: Observation
  readonly now: Time
  /** Number of its client among those of a finding, shown until the client is named. */
  readonly identity: number
}

/** A probe in a list: when, how and by whom it was asked, and the answer. */
export function ProbeItem({ observation, now, identity }: ProbeItemProps) {
  const { at, client, method } = observation
  const [when, who] = isWithheld(observation, now)
    ? [toDate(at), `client ${identity}, named after 24 hours`]
    : [formatTime(at), nameClient(client)]
  const asked = `${when}: ${method} by ${who}, ${describeAnswer(observation)}`
  return (
    <li>
      <a href={probePath(observation.id, observation.endpoint)}>Probe {cleanText(observation.id, 60)}</a>,{' '}
      {cleanText(asked, 200)}
    </li>
  )
}

/** Describes the answer to a probe: `HTTP 502`, `HTTP 402 without valid terms`, `timeout`. */
export function describeAnswer(observation: Observation): string {
  const { httpStatus, cause } = observation
  if (httpStatus === null) return cause.replaceAll('_', ' ')
  return `HTTP ${httpStatus}${httpStatus === 402 && !hasTerms(observation) ? ' without valid terms' : ''}`
}

type Asked = Pick<ObservedOffer, 'scheme' | 'network' | 'asset' | 'payTo' | 'amountAtomic'>

/** Describes an offer: `$0.01 to 0x… on Base, exact`. */
export function describeOffer({ scheme, network, asset, payTo, amountAtomic }: Asked) {
  const usd = /^\d{1,40}$/.test(amountAtomic) ? atomicToUsd(network, asset, BigInt(amountAtomic)) : null
  const price = usd === null ? `${cleanText(amountAtomic, 40)} units` : formatUsd(usd)
  const label = cleanText(findKnownNetwork(network)?.label ?? network, 48)
  return { text: `${price} to ${payTo} on ${label}, ${cleanText(scheme, 24)}`, network }
}
