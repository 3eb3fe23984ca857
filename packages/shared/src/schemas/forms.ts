import * as z from 'zod/mini'
import { AtomicSchema, about, CountSchema, named, TimestampSchema } from '../primitives.ts'
import { COMMON } from './common.ts'
import { StatusSchema, VerdictCodeSchema } from './verdict.ts'

export const ScanSchema = named(
  'Scan',
  'A free check of one endpoint, or of the listed endpoints of a host. Its page shows the progress and is kept 90 days.',
  z.object({
    id: about('Random id of the check.', z.string()),
    url: about('URL of the page of the check, which `Location` names as well.', z.string()),
    host: about('Host of the endpoint, or the host that is checked.', z.string()),
    endpoint: about(
      'Canonical URL of the endpoint, without its query; null for a check of a host.',
      z.nullable(z.string()),
    ),
    state: about('queued, running, done or failed.', z.enum(['queued', 'running', 'done', 'failed'])),
    ahead: about('Number of checks that are made before it.', CountSchema),
    askedAt: about('Time of the request, UTC.', TimestampSchema),
    finishedAt: about(
      'Time at which it ended, UTC; null until then, and for a host.',
      z.nullable(TimestampSchema),
    ),
    expiresAt: about('Time up to which the check is kept, UTC.', TimestampSchema),
    failure: about('Why nothing could be measured; null if it was, or until then.', z.nullable(z.string())),
    published: about('Whether the endpoint is in the index.', z.boolean()),
    publication: about(
      'Why it is, or is not; null until the check has ended, and for a host.',
      z.nullable(z.enum(['listed', 'published', 'not_asked', 'no_terms', 'not_named', 'documents_unread'])),
    ),
    terms: about(
      'What the endpoint asked for.',
      z.array(
        z.object({
          x402Version: about('Protocol version of the offer.', z.union([z.literal(1), z.literal(2)])),
          scheme: about('Payment scheme.', z.string()),
          network: about(COMMON.network, z.string()),
          asset: about('Address of the asset.', z.string()),
          payTo: about(COMMON.payTo, z.string()),
          amountAtomic: about('Amount in the smallest unit of the asset.', AtomicSchema),
          priceUsd: about('Price in dollars; null if it is not known.', z.nullable(z.number())),
          method: about('Method that was asked to pay.', z.string()),
        }),
      ),
    ),
    challenge: about(
      'The 402 as it was received, 16,384 characters of each part at most; null without one.',
      z.nullable(
        z.object({
          method: about('Method that was answered with it.', z.string()),
          header: about(
            'The header PAYMENT-REQUIRED, decoded if it can be; null without one.',
            z.nullable(z.string()),
          ),
          body: about('The body; null if it is absent or too large to read.', z.nullable(z.string())),
          isCut: about('Whether a part of it was left out.', z.boolean()),
        }),
      ),
    ),
    result: about(
      'What was found, with one entry a check; null until then, and for a host.',
      z.nullable(z.record(z.string(), z.unknown())),
    ),
    endpoints: about(
      'Endpoints of a host that are probed.',
      z.array(
        z.object({
          endpoint: about(COMMON.endpoint, z.string()),
          isChecked: about('Whether it was probed since the check was asked for.', z.boolean()),
          checkedAt: about('Time of that probe, UTC; null until then.', z.nullable(TimestampSchema)),
          status: about('Status of the endpoint.', StatusSchema),
          verdict: about(COMMON.verdict, VerdictCodeSchema),
        }),
      ),
    ),
    previous: about(
      'Id of the earlier check of the endpoint that this one is compared with; null without one.',
      z.nullable(z.string()),
    ),
    profile: about('URL of the profile of the host.', z.string()),
    badge: about('URL of the badge of the host.', z.string()),
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
  }),
)

export const HostClaimSchema = named(
  'HostClaim',
  'A host claim that was proven by a file or a TXT record.',
  z.object({
    host: about('The claimed host.', z.string()),
    method: about('Where the token was found.', z.enum(['file', 'dns'])),
    since: about('Time of the first proof, UTC.', TimestampSchema),
    token: about('The published token: a hash of the secret.', z.string()),
  }),
)

export const OwnerSchema = named(
  'Owner',
  'How a host is claimed, and the exact texts by which its owner claims it and announces a receiver.',
  z.object({
    host: about('Host, with the port if it is not the default one.', z.string()),
    claims: about(
      'Claims that hold, oldest first.',
      z.array(
        z.object({
          method: about('Where the token is published.', z.enum(['file', 'dns'])),
          since: about('Time from which on the claim holds, UTC.', TimestampSchema),
          checkedAt: about('Time of the last check, UTC.', TimestampSchema),
          nextCheckAt: about('Time from which on it is checked again, UTC.', TimestampSchema),
        }),
      ),
    ),
    secret: about('Secret for this caller: whoever has it acts for the host once it is proven.', z.string()),
    file: about(
      'File that may hold the token of the secret.',
      z.object({ url: about('Its URL.', z.string()), line: about('Its line, the token.', z.string()) }),
    ),
    dns: about(
      'DNS record that may hold the token of the secret.',
      z.object({
        name: about('Name of the record.', z.string()),
        type: about('Type of the record.', z.literal('TXT')),
        value: about('Value of the record, the token.', z.string()),
      }),
    ),
    announcements: about(
      'Changes of receiver that can be announced, newest first, at most 20.',
      z.array(
        z.object({
          endpoint: about('An endpoint that it applies to.', z.string()),
          network: about(COMMON.network, z.string()),
          oldPayTo: about('The receiver that signs.', z.string()),
          newPayTo: about('The new receiver that was measured; null before its use.', z.nullable(z.string())),
          firstSeenAt: about('Time of its first use, UTC; null before.', z.nullable(TimestampSchema)),
          validFrom: about('Time in the text from which on it receives, UTC.', z.string()),
          text: about('Text to sign; its line `new` is to be filled in while newPayTo is null.', z.string()),
          announcedFrom: about(
            'Time from which on the change counts as announced, UTC; null if it does not.',
            z.nullable(TimestampSchema),
          ),
        }),
      ),
    ),
  }),
)

export const DisputeSchema = named(
  'Dispute',
  'A dispute that waits until the operator publishes it with an answer.',
  z.object({
    id: about('Id of the dispute.', z.string()),
    host: about('Host that it is about.', z.string()),
    state: about('Always waiting.', z.literal('waiting')),
  }),
)

export const WebhookSchema = named(
  'Webhook',
  'A new webhook. Its URL gets a challenge first.',
  z.object({
    id: about('Id of the webhook.', z.string()),
    host: about('Host whose incidents and changes are sent.', z.string()),
    url: about('URL that receives messages.', z.string()),
    secret: about('Verifies messages. Shown this once.', z.string()),
    state: about('Always unconfirmed.', z.literal('unconfirmed')),
    createdAt: about('Time of its creation, UTC.', TimestampSchema),
    expiresAt: about('Time of its end, UTC.', TimestampSchema),
  }),
)

export const RemovedWebhookSchema = named(
  'RemovedWebhook',
  'A webhook that was removed.',
  z.object({
    id: about('Id of the webhook.', z.string()),
    removed: about('Always true.', z.literal(true)),
  }),
)

export const LogEntrySchema = named(
  'LogEntry',
  'One entry of the transparency log with the proof that the log holds it.',
  z.object({
    index: about('Place of the entry in the log.', CountSchema),
    leaf: about('The entry as it was hashed: canonical JSON (RFC 8785).', z.string()),
    opening: about(
      'What the entry names, as canonical JSON; null if it names nobody or was deleted.',
      z.nullable(z.string()),
    ),
    proof: about('A C2SP tlog-proof, complete for offline use.', z.string()),
  }),
)
