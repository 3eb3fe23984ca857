import * as z from 'zod/mini'
import { CountSchema, named, TimestampSchema } from '../primitives.ts'

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
    chain: z.string(),
    address: z.optional(z.string()),
    txHash: z.optional(z.string()),
    logIndex: z.optional(CountSchema),
    blockNumber: z.nullable(CountSchema),
    explorerUrl: z.string(),
  }),
)

export const IncidentSchema = named(
  'Incident',
  'A security incident at one endpoint, stated as measured facts.',
  z.object({
    id: z.string(),
    kind: z.enum(INCIDENT_KINDS),
    severity: z.enum(['warn', 'critical']),
    status: z.enum(['open', 'resolved']),
    host: z.string(),
    endpoint: z.string(),
    detectedAt: TimestampSchema,
    resolvedAt: z.nullable(TimestampSchema),
    summary: z.string(),
    observations: z.array(z.string()),
    /** The receiver that it is about, and when the host first named it. Absent in incidents from before score 1.2.0. */
    receiver: z.optional(z.object({ network: z.string(), payTo: z.string(), namedAt: TimestampSchema })),
    proof: ProofSchema,
    proofUrl: z.string(),
  }),
)

export const ChangeSchema = named(
  'Change',
  'A change at one endpoint.',
  z.object({
    id: z.string(),
    kind: z.enum(CHANGE_KINDS),
    host: z.string(),
    endpoint: z.string(),
    at: TimestampSchema,
    before: z.nullable(z.string()),
    after: z.nullable(z.string()),
    pct: z.optional(z.number()),
  }),
)

const page = {
  asOf: TimestampSchema,
  days: CountSchema,
  since: z.nullable(TimestampSchema),
  limit: CountSchema,
  count: CountSchema,
  total: CountSchema,
  truncated: z.boolean(),
  nextCursor: z.nullable(z.string()),
}

export const IncidentFeedSchema = named(
  'IncidentFeed',
  'Incidents of the last days, newest first.',
  z.object({ ...page, incidents: z.array(IncidentSchema) }),
)

export const ChangeFeedSchema = named(
  'ChangeFeed',
  'Changes of the last days, newest first.',
  z.object({ ...page, changes: z.array(ChangeSchema) }),
)

export type Proof = z.infer<typeof ProofSchema>
export type Incident = z.infer<typeof IncidentSchema>
export type Change = z.infer<typeof ChangeSchema>
export type IncidentKind = Incident['kind']
export type ChangeKind = Change['kind']
export type IncidentFeed = z.infer<typeof IncidentFeedSchema>
export type ChangeFeed = z.infer<typeof ChangeFeedSchema>
