import { atomicToUsd, findKnownNetwork } from '@touchstone402/shared'
import type { Observation, ObservedOffer, Time } from '../../domain/facts/facts.ts'
import { claimedUsd } from '../../domain/judge/prices.ts'
import { Address, Moment, Seller } from '../components/prose.tsx'
import { formatUsd } from '../format.ts'
import { lookPath } from '../paths.ts'
import { cleanText } from '../text.ts'
import { isPublished, publishedFrom } from './readLook.ts'
import { SHOWN_TO, type Side, spanOf } from './sides.ts'

const SHOWN_OFFERS = 6
const SHOWN_LOOKS = 4

type SidesProps = {
  readonly sides: readonly Side[]
  readonly now: Time
  /** Ids of looks that an incident cites. @default none */
  readonly cited?: readonly string[]
}

/** Both sides of a finding next to each other: who was shown what, and when. */
export function Sides({ sides, now, cited = [] }: SidesProps) {
  if (sides.length < 2) return null
  return (
    <div class="sides">
      {sides.map((side, index) => (
        <dl class={index === sides.length - 1 ? 'side last' : 'side'}>
          <dt>
            {cleanText(side.title, 60)}
            {side.title === SHOWN_TO && ` to ${listClients(side.clients)}`}
            <Span side={side} />
          </dt>
          <dd>{side.listing === undefined ? <Offers offers={side.offers} /> : <Listed side={side} />}</dd>
          {side.looks.length > 0 && (
            <dd class="small">
              <ul>
                {side.looks.slice(0, SHOWN_LOOKS).map((look) => (
                  <li>
                    <LookLink look={look} now={now} isCited={cited.includes(look.id)} />
                  </li>
                ))}
              </ul>
            </dd>
          )}
        </dl>
      ))}
    </div>
  )
}

const listClients = (numbers: readonly number[]) =>
  `${numbers.length === 1 ? 'client' : 'clients'} ${numbers.join(', ')}`

function Span({ side }: { readonly side: Side }) {
  const span = spanOf(side)
  if (span === undefined) return null
  const { from, to } = span
  return (
    <>
      , <Moment at={from} />
      {to > from && (
        <>
          {' to '}
          <Moment at={to} />
        </>
      )}
    </>
  )
}

function Listed({ side: { listing } }: { readonly side: Side }) {
  if (listing === undefined) return null
  const { payTo, network } = listing.claims
  return (
    <p class="offer">
      <strong>{formatUsd(claimedUsd(listing))}</strong>
      {payTo !== null && (
        <>
          {' to '}
          <Address value={payTo} {...(network !== null && { network })} />
        </>
      )}
    </p>
  )
}

type ShownOffer = Pick<ObservedOffer, 'scheme' | 'network' | 'asset' | 'payTo' | 'amountAtomic'>

/** Offers, each with its price and a link to its receiver. */
export function Offers({ offers }: { readonly offers: readonly ShownOffer[] }) {
  if (offers.length === 0) return <p class="muted">No terms.</p>
  return (
    <>
      {offers.slice(0, SHOWN_OFFERS).map((offer) => (
        <p class="offer">
          <strong>{priceOf(offer)}</strong>
          {' to '}
          <Address value={offer.payTo} network={offer.network} />
          <span class="small muted">
            {' on '}
            <Seller text={findKnownNetwork(offer.network)?.label ?? offer.network} max={48} />,{' '}
            <Seller text={offer.scheme} max={24} />
          </span>
        </p>
      ))}
      {offers.length > SHOWN_OFFERS && <p class="muted small">and {offers.length - SHOWN_OFFERS} more</p>}
    </>
  )
}

function priceOf({ network, asset, amountAtomic }: ShownOffer): string {
  const usd = /^\d{1,40}$/.test(amountAtomic) ? atomicToUsd(network, asset, BigInt(amountAtomic)) : null
  return usd === null ? `${cleanText(amountAtomic, 40)} units` : formatUsd(usd)
}

type LookLinkProps = {
  readonly look: Observation
  readonly now: Time
  /** Whether an incident cites it. @default false */
  readonly isCited?: boolean
}

/** Link to a look, or the time from which it is published. */
export function LookLink({ look, now, isCited = false }: LookLinkProps) {
  const id = cleanText(look.id, 60)
  if (isPublished(look, now, isCited)) return <a href={lookPath(look.id, look.endpoint)}>Look {id}</a>
  return (
    <span class="muted">
      Look <code>{id}</code>, published 24 hours after the probe, from <Moment at={publishedFrom(look)} />
    </span>
  )
}
