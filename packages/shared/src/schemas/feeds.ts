import * as z from 'zod/mini'
import { about, CountSchema, named, TimestampSchema } from '../primitives.ts'
import { COMMON } from './common.ts'

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

export const ProofSchema = named(
  'Proof',
  'On-chain evidence of an incident, with a link to an explorer.',
  z.object({
    chain: about('Network as CAIP-2 id.', z.string()),
    address: about('Address that the proof is about.', z.optional(z.string())),
    txHash: about('Hash of the transaction.', z.optional(z.string())),
    logIndex: about('Index of the log within its block.', z.optional(CountSchema)),
    blockNumber: about('Number of the block; null if not known.', z.nullable(CountSchema)),
    explorerUrl: about('Page of a block explorer that shows it.', z.string()),
  }),
)

export const IncidentSchema = named(
  'Incident',
  'A security incident at one endpoint, stated as measured facts.',
  z.object({
    id: about('Id of the incident, which never changes.', z.string()),
    kind: about('receiver_hijack, bait_and_switch, honeypot or unverified_receiver.', z.enum(INCIDENT_KINDS)),
    severity: about(COMMON.severity, z.enum(['warn', 'critical'])),
    status: about('open or resolved.', z.enum(['open', 'resolved'])),
    host: about(COMMON.host, z.string()),
    endpoint: about(COMMON.endpoint, z.string()),
    detectedAt: about('Time of detection, UTC.', TimestampSchema),
    resolvedAt: about('Time of resolution, UTC; null while it is open.', z.nullable(TimestampSchema)),
    summary: about('The measured facts, in one sentence.', z.string()),
    observations: about('Ids of the observations behind it.', z.array(z.string())),
    receiver: about(
      'The receiver that it is about, on which it counts at other paths and hosts too; absent before score 1.2.0.',
      z.optional(
        z.object({
          network: about(COMMON.network, z.string()),
          payTo: about(COMMON.payTo, z.string()),
          namedAt: about('When the host first named the receiver, UTC.', TimestampSchema),
        }),
      ),
    ),
    proof: about('Evidence on chain.', ProofSchema),
    proofUrl: about('Page of a block explorer that shows the evidence.', z.string()),
  }),
)

export const ChangeSchema = named(
  'Change',
  'A change at one endpoint.',
  z.object({
    id: about('Id of the change, which never changes.', z.string()),
    kind: about(
      'service_gone_dark, payto_swap, price_jump, new_service or service_recovered.',
      z.enum(CHANGE_KINDS),
    ),
    host: about(COMMON.host, z.string()),
    endpoint: about(COMMON.endpoint, z.string()),
    at: about('Time at which it was measured, UTC.', TimestampSchema),
    before: about('Value before; null if there was none.', z.nullable(z.string())),
    after: about('Value after; null if there is none.', z.nullable(z.string())),
    pct: about('Size of the change in percent, where that has a meaning.', z.optional(z.number())),
  }),
)

const page = {
  asOf: about(COMMON.asOf, TimestampSchema),
  days: about(COMMON.days, CountSchema),
  since: about(COMMON.since, z.nullable(TimestampSchema)),
  limit: about(COMMON.limit, CountSchema),
  count: about(COMMON.count, CountSchema),
  total: about(COMMON.total, CountSchema),
  truncated: about(COMMON.truncated, z.boolean()),
  nextCursor: about(COMMON.nextCursor, z.nullable(z.string())),
}

export const IncidentFeedSchema = named(
  'IncidentFeed',
  'Incidents of the last days, newest first.',
  z.object({ ...page, incidents: about(COMMON.incidents, z.array(IncidentSchema)) }),
)

export const ChangeFeedSchema = named(
  'ChangeFeed',
  'Changes of the last days, newest first.',
  z.object({ ...page, changes: about(COMMON.changes, z.array(ChangeSchema)) }),
)

export type Proof = z.infer<typeof ProofSchema>
export type Incident = z.infer<typeof IncidentSchema>
export type Change = z.infer<typeof ChangeSchema>
export type IncidentKind = Incident['kind']
export type ChangeKind = Change['kind']
export type IncidentFeed = z.infer<typeof IncidentFeedSchema>
export type ChangeFeed = z.infer<typeof ChangeFeedSchema>
