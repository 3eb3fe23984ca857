import * as z from 'zod/mini'
import { CountSchema, named, TimestampSchema } from '../primitives.ts'

export const ScanSchema = named(
  'Scan',
  'A free scan of one endpoint. Its page shows the progress and is kept 90 days.',
  z.object({
    id: z.string(),
    url: z.string(),
    endpoint: z.string(),
    state: z.enum(['queued', 'running', 'done', 'failed']),
    ahead: CountSchema,
    askedAt: TimestampSchema,
    finishedAt: z.nullable(TimestampSchema),
    expiresAt: TimestampSchema,
    failure: z.nullable(z.string()),
    result: z.nullable(z.record(z.string(), z.unknown())),
    profile: z.string(),
    badge: z.string(),
  }),
)

export const SubmissionSchema = named(
  'Submission',
  'An endpoint that was submitted for a first probe.',
  z.object({
    endpoint: z.string(),
    state: z.enum(['waiting', 'known']),
    progress: z.string(),
    profile: z.string(),
  }),
)

export const RecheckSchema = named(
  'Recheck',
  'A re-check of all endpoints of a host that was queued.',
  z.object({
    host: z.string(),
    endpoints: z.array(z.string()),
    profile: z.string(),
    progress: z.string(),
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
