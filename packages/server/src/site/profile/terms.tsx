import { findNetwork } from '@touchstone402/shared'
import type { ComponentChild } from 'preact'
import type { Listing } from '../../domain/facts/facts.ts'
import type { EndpointState } from '../../domain/facts/hostDocument.ts'
import { claimedUsd } from '../../domain/judge/prices.ts'
import { Panel } from '../components/panel.tsx'
import { Address, Day, Seller } from '../components/prose.tsx'
import { type Column, Table } from '../components/table.tsx'
import { formatUsd } from '../format.ts'
import type { ProfileView } from './loadProfile.ts'

const SHOWN_LISTINGS = 3

/** Terms listed by directories beside the terms that the endpoint asks for. */
export function Terms({ view }: { view: ProfileView }) {
  const { state } = view.focus
  const columns: Column<TermRow>[] = [
    { name: 'Term', cell: ({ name }) => name },
    { name: 'Asked for now', cell: ({ asked }) => asked(state) || '–' },
    ...state.listings.slice(0, SHOWN_LISTINGS).map((listing) => ({
      name: (
        <>
          Listed by <Seller text={listing.directory} max={24} />
        </>
      ),
      cell: ({ listed, differs }: TermRow) => (
        <>
          {listed(listing) || '–'}
          {differs(state, listing) && <span class="diff"> differs</span>}
        </>
      ),
    })),
  ]
  return (
    <Panel id="terms" title="Listed and asked terms">
      <Table scroll="Listed and asked terms" rows={TERMS} columns={columns} />
    </Panel>
  )
}

type TermRow = {
  readonly name: string
  readonly asked: (state: EndpointState) => ComponentChild
  readonly listed: (listing: Listing) => ComponentChild
  readonly differs: (state: EndpointState, listing: Listing) => boolean
}

/** Creates a row. Both sides return null if they do not name the term. */
function createRow<T extends string | number>(
  name: string,
  asked: (state: EndpointState) => T | null,
  listed: (listing: Listing) => T | null,
  show: (value: T) => ComponentChild,
): TermRow {
  const showKnown = (value: T | null) => (value === null ? null : show(value))
  return {
    name,
    asked: (state) => showKnown(asked(state)),
    listed: (listing) => showKnown(listed(listing)),
    differs: (state, listing) => {
      const [a, b] = [asked(state), listed(listing)]
      return a !== null && b !== null && `${a}`.toLowerCase() !== `${b}`.toLowerCase()
    },
  }
}

const TERMS: readonly TermRow[] = [
  createRow('Price', ({ priceUsd }) => priceUsd, claimedUsd, formatUsd),
  createRow(
    'Receiver',
    ({ payTo }) => payTo,
    ({ claims }) => claims.payTo,
    (payTo) => <Address value={payTo} />,
  ),
  createRow(
    'Network',
    ({ network }) => network,
    ({ claims }) => claims.network,
    (network) => <Seller text={findNetwork(network)?.label ?? network} max={48} />,
  ),
  createRow(
    'Method',
    ({ method }) => method,
    ({ method }) => method,
    (method) => <Seller text={method} max={12} />,
  ),
  createRow(
    'Title',
    () => null,
    ({ title }) => title,
    (title) => <Seller text={title} max={80} />,
  ),
  // The two dates always differ, so they are not compared.
  {
    name: 'As of',
    asked: ({ lastChecked }) => lastChecked !== null && <Day at={lastChecked} />,
    listed: ({ claimedAt }) => claimedAt !== null && <Day at={claimedAt} />,
    differs: () => false,
  },
]
