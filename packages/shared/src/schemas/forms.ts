import * as z from 'zod/mini'
import { AtomicSchema, CountSchema, named, TimestampSchema } from '../primitives.ts'
import { StatusSchema, VerdictCodeSchema } from './verdict.ts'

export const ScanSchema = named(
  'Scan',
  'A free check of one endpoint, or of the listed endpoints of a host. Its page shows the progress and is kept 90 days.',
  z.object({
    id: z.string(),
    url: z.string(),
    host: z.string(),
    endpoint: z.nullable(z.string()),
    state: z.enum(['queued', 'running', 'done', 'failed']),
    ahead: CountSchema,
    askedAt: TimestampSchema,
    finishedAt: z.nullable(TimestampSchema),
    expiresAt: TimestampSchema,
    failure: z.nullable(z.string()),
    published: z.boolean(),
    publication: z.nullable(
      z.enum(['listed', 'published', 'not_asked', 'no_terms', 'not_named', 'documents_unread']),
    ),
    terms: z.array(
      z.object({
        x402Version: z.union([z.literal(1), z.literal(2)]),
        scheme: z.string(),
        network: z.string(),
        asset: z.string(),
        payTo: z.string(),
        amountAtomic: AtomicSchema,
        priceUsd: z.nullable(z.number()),
        method: z.string(),
      }),
    ),
    challenge: z.nullable(
      z.object({
        method: z.string(),
        header: z.nullable(z.string()),
        body: z.nullable(z.string()),
        isCut: z.boolean(),
      }),
    ),
    result: z.nullable(z.record(z.string(), z.unknown())),
    endpoints: z.array(
      z.object({
        endpoint: z.string(),
        isChecked: z.boolean(),
        checkedAt: z.nullable(TimestampSchema),
        status: StatusSchema,
        verdict: VerdictCodeSchema,
      }),
    ),
    previous: z.nullable(z.string()),
    profile: z.string(),
    badge: z.string(),
  }),
)

export const RotationSchema = named(
  'Rotation',
  'An announcement of a new receiver whose signature is right. What is wrong with another one is a 400.',
  z.object({
    endpoint: z.string(),
    verified: z.literal(true),
    /** Whether it was read from the host, not from the request. */
    published: z.boolean(),
    publish: z.optional(
      z.object({ network: z.string(), newPayTo: z.string(), validFrom: z.string(), signature: z.string() }),
    ),
    recheck: z.optional(z.boolean()),
    next: z.optional(z.string()),
  }),
)
