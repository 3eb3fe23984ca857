import * as z from 'zod/mini'
import { about, CountSchema, named, TimestampSchema } from '../primitives.ts'
import { COMMON } from './common.ts'

export const ScanSchema = named(
  'Scan',
  'A free scan of one endpoint. Its page shows the progress and is kept 90 days.',
  z.object({
    id: about('Random id of the scan.', z.string()),
    url: about('URL of the page of the scan, which `Location` names as well.', z.string()),
    endpoint: about(COMMON.endpoint, z.string()),
    state: about('queued, running, done or failed.', z.enum(['queued', 'running', 'done', 'failed'])),
    ahead: about('Number of scans that are made before it.', CountSchema),
    askedAt: about('Time of the request, UTC.', TimestampSchema),
    finishedAt: about('Time at which it ended, UTC; null until then.', z.nullable(TimestampSchema)),
    expiresAt: about('Time up to which the scan is kept, UTC.', TimestampSchema),
    failure: about('Why nothing could be measured; null if it was, or until then.', z.nullable(z.string())),
    result: about(
      'What was found, with one entry a check; null until then.',
      z.nullable(z.record(z.string(), z.unknown())),
    ),
    profile: about('URL of the profile of the host.', z.string()),
    badge: about('URL of the badge of the host.', z.string()),
  }),
)

export const SubmissionSchema = named(
  'Submission',
  'An endpoint that was submitted for a first probe.',
  z.object({
    endpoint: about(COMMON.endpoint, z.string()),
    state: about(
      'waiting for its first probe, or known: then nothing is probed.',
      z.enum(['waiting', 'known']),
    ),
    progress: about('URL that tells how far it is.', z.string()),
    profile: about('URL of the profile of the host, once it was probed.', z.string()),
  }),
)

export const RecheckSchema = named(
  'Recheck',
  'A re-check of all endpoints of a host that was queued.',
  z.object({
    host: about(COMMON.host, z.string()),
    endpoints: about('Endpoints that are probed again.', z.array(z.string())),
    profile: about('URL of the profile of the host.', z.string()),
    progress: about('URL that tells how far it is.', z.string()),
  }),
)

export const RotationSchema = named(
  'Rotation',
  'An announcement of a new receiver whose signature is right. What is wrong with another one is a 400.',
  z.object({
    endpoint: about(COMMON.endpoint, z.string()),
    verified: about('Always true.', z.literal(true)),
    published: about(
      'Whether the announcement was read from the host; false if the request brought it.',
      z.boolean(),
    ),
    publish: about(
      'Entry to serve in the list `rotations` of /.well-known/x402, if the request brought text and signature.',
      z.optional(
        z.object({
          network: about(COMMON.network, z.string()),
          newPayTo: about('The new receiver.', z.string()),
          validFrom: about('Time from which on it receives, UTC.', z.string()),
          signature: about('Signature of the text by the old receiver.', z.string()),
        }),
      ),
    ),
    recheck: about(
      'Whether a re-check that reads it was queued; false if there was one lately.',
      z.optional(z.boolean()),
    ),
    next: about('URL that tells how far the re-check is, or the profile.', z.optional(z.string())),
  }),
)
