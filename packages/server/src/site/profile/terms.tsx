import { findNetwork } from '@touchstone402/shared'
import type { ComponentChild } from 'preact'
import type { Listing } from '../../domain/facts/facts.ts'
import type { EndpointState } from '../../domain/facts/hostDocument.ts'
import { claimedUsd } from '../../domain/judge/prices.ts'
import { Address, Day, Seller } from '../components/prose.tsx'
import { Scroll } from '../components/scroll.tsx'
import { formatUsd } from '../format.ts'
import type { ProfileView } from './loadProfile.ts'

const SHOWN_LISTINGS = 3

/** What directories list beside what the endpoint asks for when it is called. */
export function Terms({ view }: { view: ProfileView }) {
  const { state } = view.focus
  const listings = state.listings.slice(0, SHOWN_LISTINGS)
  return (
    <section class="panel" aria-labelledby="terms">
      <h2 id="terms">Listed and asked for</h2>
      <Scroll label="Terms, listed and asked for">
        <table>
          <thead>
            <tr>
              <th scope="col">Term</th>
              <th scope="col">Asked for now</th>
              {listings.map(({ directory }) => (
                <th scope="col">
                  Listed by <Seller text={directory} max={24} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {TERMS.map(({ name, asked, listed, isSame }) => (
              <tr>
                <th scope="row">{name}</th>
                <td>{asked(state) ?? '–'}</td>
                {listings.map((listing) => (
                  <td>
                    {listed(listing) ?? '–'}
                    {listed(listing) !== null && isSame(state, listing) === false && (
                      <span class="diff"> differs</span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}

type TermRow = {
  readonly name: string
  readonly asked: (state: EndpointState) => ComponentChild
  readonly listed: (listing: Listing) => ComponentChild
  /** Null where there is nothing to compare. */
  readonly isSame: (state: EndpointState, listing: Listing) => boolean | null
}

const TERMS: readonly TermRow[] = [
  {
    name: 'Price',
    asked: ({ priceUsd }) => (priceUsd === null ? null : formatUsd(priceUsd)),
    listed: (listing) => (claimedUsd(listing) === null ? null : formatUsd(claimedUsd(listing))),
    isSame: ({ priceUsd }, listing) => {
      const claimed = claimedUsd(listing)
      return claimed === null || priceUsd === null ? null : claimed === priceUsd
    },
  },
  {
    name: 'Receiver',
    asked: ({ payTo }) => (payTo === null ? null : <Address value={payTo} />),
    listed: ({ claims }) => (claims.payTo === null ? null : <Address value={claims.payTo} />),
    isSame: (state, { claims }) => same(state.payTo, claims.payTo),
  },
  {
    name: 'Network',
    asked: ({ network }) => networkName(network),
    listed: ({ claims }) => networkName(claims.network),
    isSame: (state, { claims }) => same(state.network, claims.network),
  },
  {
    name: 'Method',
    asked: ({ method }) => <Seller text={method} max={12} />,
    listed: ({ method }) => (method === null ? null : <Seller text={method} max={12} />),
    isSame: (state, { method }) => same(state.method, method),
  },
  {
    name: 'Named',
    asked: () => null,
    listed: ({ title }) => (title === null ? null : <Seller text={title} max={80} />),
    isSame: () => null,
  },
  {
    name: 'Claim of',
    asked: ({ lastChecked }) => (lastChecked === null ? null : <Day at={lastChecked} />),
    listed: ({ claimedAt }) => (claimedAt === null ? null : <Day at={claimedAt} />),
    isSame: () => null,
  },
]

function same(a: string | null, b: string | null): boolean | null {
  return a === null || b === null ? null : a.toLowerCase() === b.toLowerCase()
}

function networkName(network: string | null) {
  return network === null ? null : <Seller text={findNetwork(network)?.label ?? network} max={48} />
}
