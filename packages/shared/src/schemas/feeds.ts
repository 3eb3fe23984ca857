import * as z from 'zod/mini'
import * as common from './common.ts'
import * as f from './fields.ts'

export const INCIDENT_KINDS = [
  'receiver_hijack',
  'bait_and_switch',
  'honeypot',
  'unverified_receiver',
] as const
export const CHANGE_KINDS = [
  'service_gone_dark',
  'payto_swap',
  'price_jump',
  'new_service',
  'service_recovered',
] as const

export const ProofSchema = f.model('Proof', 'On-chain evidence of an incident, with a link to an explorer.', {
  chain: f.text('Network as CAIP-2 id.'),
  address: z.optional(f.text('Address that the proof is about.')),
  txHash: z.optional(f.text('Hash of the transaction.')),
  logIndex: z.optional(f.whole('Index of the log within its block.')),
  blockNumber: z.nullable(f.whole('Number of the block; null if not known.')),
  explorerUrl: f.text('Page of a block explorer that shows it.'),
})

export const IncidentSchema = f.model('Incident', 'A security incident at one endpoint, as measured.', {
  id: f.text('Id of the incident, which never changes.'),
  kind: f.oneOf('receiver_hijack, bait_and_switch, honeypot or unverified_receiver.', INCIDENT_KINDS),
  severity: f.oneOf('How much the finding weighs: warn or critical.', ['warn', 'critical']),
  status: f.oneOf('open or resolved.', ['open', 'resolved']),
  host: common.host,
  endpoint: common.endpoint,
  detectedAt: f.time('Time of detection, UTC.'),
  resolvedAt: z.nullable(f.time('Time of resolution, UTC; null while it is open.')),
  summary: f.text('The measured facts, in one sentence.'),
  observations: f.texts('Ids of the observations behind it.'),
  receiver: z.optional(
    f.group('The receiver, on which it counts at other paths and hosts too; absent before score 1.2.0.', {
      network: common.network,
      payTo: common.payTo,
      namedAt: f.time('When the host first named the receiver, UTC.'),
      isPaid: f.about(
        'Present if a test purchase at the host paid the receiver, so that it counts at other hosts.',
        z.optional(z.literal(true)),
      ),
    }),
  ),
  proof: f.about('Evidence on chain.', ProofSchema),
  proofUrl: f.text('Page of a block explorer that shows the evidence.'),
})

export const ChangeSchema = f.model('Change', 'A change at one endpoint.', {
  id: f.text('Id of the change, which never changes.'),
  kind: f.oneOf('service_gone_dark, payto_swap, price_jump, new_service or service_recovered.', CHANGE_KINDS),
  host: common.host,
  endpoint: common.endpoint,
  at: f.time('Time at which it was measured, UTC.'),
  before: z.nullable(f.text('Value before; null if there was none.')),
  after: z.nullable(f.text('Value after; null if there is none.')),
  pct: z.optional(f.number('Size of the change in percent, where that has a meaning.')),
})

const page = {
  asOf: common.asOf,
  days: common.days,
  since: z.nullable(f.time('Time from which on records count, as asked for; null if `days` decides.')),
  ...common.extent,
  total: common.total,
  nextCursor: z.nullable(f.text('Value of `cursor` for the next page; null at the end.')),
}

export const IncidentFeedSchema = f.model('IncidentFeed', 'Incidents of the last days, newest first.', {
  ...page,
  incidents: f.listOf('Incidents, newest first.', IncidentSchema),
})

export const ChangeFeedSchema = f.model('ChangeFeed', 'Changes of the last days, newest first.', {
  ...page,
  changes: f.listOf('Changes, newest first.', ChangeSchema),
})

export type Proof = z.infer<typeof ProofSchema>
export type Incident = z.infer<typeof IncidentSchema>
export type Change = z.infer<typeof ChangeSchema>
export type IncidentKind = Incident['kind']
