import { atomicToUsd, findKnownNetwork } from '@touchstone402/shared'
import { nameClient } from '../../domain/facts/clientIdentities.ts'
import { transactionProof } from '../../domain/facts/explorer.ts'
import type { Observation, ObservedOffer, Purchase, Time } from '../../domain/facts/facts.ts'
import { claimedUsd } from '../../domain/judge/prices.ts'
import { SHOWN_TO, type Side, spanOf } from '../../domain/publish/sides.ts'
import { formatUsd } from '../format.ts'
import { lookPath } from '../paths.ts'
import { cleanText } from '../text.ts'
import { Measured, Moment, OutLink } from './prose.tsx'

/** One side of a finding: what was measured, when, and where it can be read. */
export type ShownSide = {
  /** Such as "Before", "Listed on bazaar", "Shown to python-httpx", "Paid". */
  readonly label: string
  /** What was measured, addresses in full; the network is where they are looked up. */
  readonly values: readonly { readonly text: string; readonly network?: string }[]
  /** First and last time of the measurement. @default not said */
  readonly from?: Time | undefined
  readonly to?: Time | undefined
  /** Public probes, incidents or transactions behind it. */
  readonly links: readonly { readonly href: string; readonly text: string }[]
}

const SHOWN_VALUES = 4
const SHOWN_LINKS = 2
const MAX_VALUE = 240

/** Two or more sides of a finding beside each other, the newest last. */
export function Sides({ sides }: { readonly sides: readonly ShownSide[] }) {
  return (
    <div class="sides">
      {sides.map(({ label, values, from, to = from, links }) => (
        <dl class="side">
          <dt>{cleanText(label, 60)}</dt>
          {values.slice(0, SHOWN_VALUES).map(({ text, network }) => (
            <dd>
              <Measured text={text} max={MAX_VALUE} network={network} />
            </dd>
          ))}
          {values.length > SHOWN_VALUES && <dd class="muted">and {values.length - SHOWN_VALUES} more</dd>}
          <dd class="when">
            {from !== undefined && <Moment at={from} />}
            {from !== undefined && to !== undefined && to > from && (
              <>
                {' to '}
                <Moment at={to} />
              </>
            )}
            {links.slice(0, SHOWN_LINKS).map(({ href, text }) => (
              <> {href.startsWith('/') ? <a href={href}>{text}</a> : <OutLink href={href}>{text}</OutLink>}</>
            ))}
          </dd>
        </dl>
      ))}
    </div>
  )
}

/** Describes a side of stored terms. @param isPublic whether a probe may be linked */
export function showSide(side: Side, isPublic: (look: Observation) => boolean): ShownSide {
  const { title, offers, looks, clients, listing } = side
  if (listing === undefined) {
    const label = title === SHOWN_TO ? `Shown to ${clients.map(nameClient).join(', ')}` : title
    return {
      label,
      values: offers.map(describeOffer),
      ...spanOf(side),
      links: looks.filter(isPublic).map(linkTo),
    }
  }
  const { payTo, network } = listing.claims
  const usd = claimedUsd(listing)
  const text = `${usd === null ? 'no price' : formatUsd(usd)}${payTo === null ? '' : ` to ${payTo}`}`
  const value = { text, ...(network !== null && { network }) }
  return { label: title, values: [value], from: listing.claimedAt ?? undefined, links: [] }
}

/** Describes what a test purchase paid, and what came back. */
export function showPurchase(purchase: Purchase): readonly ShownSide[] {
  const { at, askedAt = at, answeredAt, network, payTo, amountAtomic, txHash, settled } = purchase
  const { httpStatus = null, delivered } = purchase
  // Test purchases pay in USDC.
  const paid = `${formatUsd(Number(amountAtomic) / 1e6)} in USDC to ${payTo}${settled ? '' : ', not settled'}`
  const answer = httpStatus === null ? 'no answer' : `HTTP ${httpStatus}`
  const href = txHash === null ? '' : transactionProof(network, txHash, null).explorerUrl
  return [
    {
      label: 'Paid',
      values: [{ text: paid, network }],
      from: askedAt,
      links: txHash === null ? [] : [{ href, text: 'Transaction' }],
    },
    {
      label: delivered ? 'Delivered' : 'Not delivered',
      values: [{ text: purchase.httpStatus === undefined ? 'the answer was not kept' : answer }],
      from: answeredAt ?? undefined,
      links: [],
    },
  ]
}

/** Link to a probe. */
export const linkTo = ({ id, endpoint }: Observation) => ({ href: lookPath(id, endpoint), text: 'Probe' })

/** Says what an offer asks for: `$0.01 to 0x… on Base, exact`. */
export function describeOffer(
  offer: Pick<ObservedOffer, 'scheme' | 'network' | 'asset' | 'payTo' | 'amountAtomic'>,
) {
  const { scheme, network, payTo } = offer
  const label = findKnownNetwork(network)?.label ?? network
  return {
    text: `${priceOf(offer)} to ${payTo} on ${cleanText(label, 48)}, ${cleanText(scheme, 24)}`,
    network,
  }
}

function priceOf({
  network,
  asset,
  amountAtomic,
}: Pick<ObservedOffer, 'network' | 'asset' | 'amountAtomic'>): string {
  const usd = /^\d{1,40}$/.test(amountAtomic) ? atomicToUsd(network, asset, BigInt(amountAtomic)) : null
  return usd === null ? `${cleanText(amountAtomic, 40)} units` : formatUsd(usd)
}
