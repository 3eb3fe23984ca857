import { type Delivery, type EndpointRow, FLAG_RECORDS, type Flag, type Profile } from '@touchstone402/shared'
import type { ComponentChild } from 'preact'
import { Definitions } from '../components/panel.tsx'
import { Seller } from '../components/prose.tsx'
import { FindingCode, VerdictTag } from '../components/verdictMark.tsx'
import { describeOutage } from '../home/services.tsx'
import type { ProfileView } from './loadProfile.ts'

type Shown = Pick<ProfileView, 'profile' | 'endpoints' | 'open'>

/** Fields of a profile beside its host, with the name of each in the JSON; null where the page alone shows it. */
export const PROFILE_FIELDS: readonly {
  readonly label: string
  readonly name: keyof Profile | null
  readonly cell: (shown: Shown) => ComponentChild
}[] = [
  { label: 'Verdict', name: 'verdict', cell: ({ profile }) => <VerdictTag verdict={profile.verdict} /> },
  { label: 'Trust score', name: 'trustScore', cell: ({ profile }) => profile.trustScore ?? NONE },
  { label: 'Liveness', name: 'liveness', cell: showLiveness },
  { label: 'Uptime', name: 'uptime', cell: ({ profile }) => showUptime(profile.uptime) },
  { label: 'Price per call', name: 'pricePerCall', cell: ({ profile }) => profile.pricePerCall },
  {
    label: 'Network',
    name: 'network',
    cell: ({ profile }) => <Seller text={profile.network || 'unknown'} max={80} />,
  },
  {
    label: 'On-chain receiver',
    name: 'receiver',
    cell: ({ profile }) => profile.receiver ?? <Detail text="blank" />,
  },
  {
    label: 'Receiver stability',
    name: 'receiverStability',
    cell: ({ profile }) => profile.receiverStability ?? NONE,
  },
  { label: 'Risk level', name: 'riskLevel', cell: ({ profile }) => profile.riskLevel },
  { label: 'Flags', name: 'flags', cell: ({ profile }) => <Flags flags={profile.flags} /> },
  {
    label: 'Listed by',
    name: 'listedBy',
    cell: ({ profile }) => <Seller text={profile.listedBy.join(' ')} max={80} />,
  },
  { label: 'First seen', name: 'firstSeen', cell: ({ profile }) => profile.firstSeen },
  { label: 'Last checked', name: 'lastChecked', cell: ({ profile }) => profile.lastChecked ?? 'never' },
  { label: 'Delivery', name: null, cell: ({ profile }) => showDelivery(profile.endpoints) },
  { label: 'Open incidents', name: null, cell: showIncidents },
]

const NONE = 'not measured'

/** The fields of a profile in one look, and the notice on what they rest on. */
export function ProfileGrid(shown: Shown) {
  return (
    <>
      <Definitions
        class="fields"
        list={PROFILE_FIELDS.map(({ label, name, cell }) => ({
          term: label,
          text: cell(shown),
          // Several sentences would make one line of the grid higher than the others.
          isWide: name === 'flags' && shown.profile.flags.length > 1,
        }))}
      />
      <p class="asked">{shown.profile.notice}</p>
    </>
  )
}

const Detail = ({ text }: { readonly text: string }) => <small>{text}</small>

function showLiveness({ profile: { liveness, darkSince }, endpoints }: Shown) {
  if (darkSince === null) return liveness
  const states = endpoints.map(({ state }) => state)
  return (
    <>
      {liveness} <Detail text={describeOutage(darkSince, states)} />
    </>
  )
}

/** The percentage, and what it is of in small. */
function showUptime(uptime: string) {
  const [, pct, rest] = /^([\d.]+%)(.*)$/.exec(uptime) ?? []
  if (pct === undefined) return <Detail text={uptime} />
  return (
    <>
      {pct}
      <Detail text={rest ?? ''} />
    </>
  )
}

function Flags({ flags }: { readonly flags: readonly Flag[] }) {
  if (flags.length === 0) return 'none'
  return flags.map((flag) => (
    <span class="flag">
      <FindingCode code={flag} /> <Detail text={FLAG_RECORDS[flag].sentence} />
    </span>
  ))
}

/** The worst outcome of the test purchases at any endpoint, with its last month. */
function showDelivery(rows: readonly EndpointRow[]) {
  const monthsOf = (status: Delivery['status']) =>
    rows.flatMap(({ delivery }) => (delivery?.status === status ? (delivery.month ?? []) : [])).sort()
  const [failed, delivered] = [monthsOf('failed').at(-1), monthsOf('delivered').at(-1)]
  const month = failed ?? delivered
  if (month === undefined) return 'not tested'
  return (
    <>
      {failed === undefined ? 'delivered' : 'not delivered'} <Detail text={month} />
    </>
  )
}

function showIncidents({ open: { records, total } }: Shown) {
  const oldest = records.at(-1)
  if (oldest === undefined) return '0'
  // More than are read have an unknown begin.
  if (total > records.length) return <a href="#why">{total}</a>
  return (
    <>
      <a href="#why">{total}</a> <Detail text={`since ${oldest.detectedAt.slice(0, 10)}`} />
    </>
  )
}
