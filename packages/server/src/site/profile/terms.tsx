import { findKnownNetwork } from '@touchstone402/shared'
import type { ComponentChild } from 'preact'
import type { Listing } from '../../domain/facts/facts.ts'
import type { EndpointState } from '../../domain/facts/hostDocument.ts'
import { claimedUsd } from '../../domain/judge/prices.ts'
import { Panel } from '../components/panel.tsx'
import { Address, Day, Seller } from '../components/prose.tsx'
import { type Column, Table } from '../components/table.tsx'
import { formatUsd } from '../format.ts'
import { cleanText } from '../text.ts'
import type { ProfileView } from './loadProfile.ts'

const SHOWN_LISTINGS = 3

/** The terms that one side states; null where it states none. */
type StatedTerms = Readonly<Record<'payTo' | 'network' | 'method' | 'title', string | null>> &
  Readonly<Record<'priceUsd' | 'asOf', number | null>>

type TermRow = {
  readonly name: string
  readonly term: keyof StatedTerms
  readonly show: (terms: StatedTerms) => ComponentChild
}

const ROWS: readonly TermRow[] = [
  { name: 'Price', term: 'priceUsd', show: ({ priceUsd }) => priceUsd !== null && formatUsd(priceUsd) },
  { name: 'Receiver', term: 'payTo', show: ({ payTo }) => payTo !== null && <Address value={payTo} /> },
  { name: 'Network', term: 'network', show: ({ network }) => showText(networkName(network), 48) },
  { name: 'Method', term: 'method', show: ({ method }) => showText(method, 12) },
  { name: 'Title', term: 'title', show: ({ title }) => showText(title, 80) },
  { name: 'As of', term: 'asOf', show: ({ asOf }) => asOf !== null && <Day at={asOf} /> },
]

/** Terms listed by directories beside the terms that the endpoint asks for. */
export function Terms({ view }: { view: ProfileView }) {
  const { state } = view.focus
  const asked = askedTerms(state)
  const columns: Column<TermRow>[] = [
    { name: 'Term', cell: ({ name }) => name },
    { name: 'Asked for now', share: 'half', cell: ({ show }) => show(asked) || '–' },
    ...state.listings.slice(0, SHOWN_LISTINGS).map((listing): Column<TermRow> => {
      const listed = listedTerms(listing)
      const name = `Listed by ${cleanText(listing.directory, 24)}`
      const cell = ({ term, show }: TermRow) => (
        <>
          {show(listed) || '–'}
          {differs(asked[term], listed[term], term) && <span class="diff"> differs</span>}
        </>
      )
      return { name, share: 'half', cell }
    }),
  ]
  return (
    <Panel id="terms" title="Listed and asked terms">
      <Table isCards scroll="Listed and asked terms" rows={ROWS} columns={columns} />
    </Panel>
  )
}

function askedTerms({ priceUsd, payTo, network, method, lastChecked }: EndpointState): StatedTerms {
  return { priceUsd, payTo, network, method, title: null, asOf: lastChecked }
}

function listedTerms(listing: Listing): StatedTerms {
  const { claims, method, title, claimedAt } = listing
  const { payTo, network } = claims
  return { priceUsd: claimedUsd(listing), payTo, network, method, title, asOf: claimedAt }
}

/** Compares a term without regard to case. Dates are not terms of a payment. */
function differs(asked: string | number | null, listed: string | number | null, term: keyof StatedTerms) {
  if (asked === null || listed === null || term === 'asOf') return false
  return `${asked}`.toLowerCase() !== `${listed}`.toLowerCase()
}

function showText(text: string | null, max: number): ComponentChild {
  return text !== null && <Seller text={text} max={max} />
}

function networkName(network: string | null): string | null {
  return network === null ? null : (findKnownNetwork(network)?.label ?? network)
}
