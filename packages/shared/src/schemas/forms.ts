import * as z from 'zod/mini'
import * as common from './common.ts'
import * as f from './fields.ts'

const PUBLICATIONS = [
  'listed',
  'published',
  'not_asked',
  'no_terms',
  'not_named',
  'documents_unread',
] as const

export const ScanSchema = f.model(
  'Scan',
  'A free check of an endpoint, or of the endpoints of a host; kept for 90 days.',
  {
    id: f.text('Random id of the check.'),
    url: f.text('URL of the page of the check, which `Location` names as well.'),
    host: f.text('Host of the endpoint, or the host that is checked.'),
    endpoint: z.nullable(f.text('Canonical URL of the endpoint; null for a check of a host.')),
    state: f.oneOf('queued, running, done or failed.', ['queued', 'running', 'done', 'failed']),
    ahead: f.whole('Number of checks that are made before it.'),
    askedAt: f.time('Time of the request, UTC.'),
    finishedAt: z.nullable(f.time('Time at which it ended, UTC; null until then, and for a host.')),
    expiresAt: f.time('Time up to which the check is kept, UTC.'),
    failure: z.nullable(f.text('Why nothing could be measured; null if it was, or until then.')),
    published: f.bool('Whether the endpoint is in the index.'),
    publication: z.nullable(
      f.oneOf('Why it is, or is not; null until the check has ended, and for a host.', PUBLICATIONS),
    ),
    terms: f.list('What the endpoint asked for.', {
      x402Version: f.about('Protocol version of the offer.', common.VersionSchema),
      scheme: f.text('Payment scheme.'),
      network: common.network,
      asset: f.text('Address of the asset.'),
      payTo: common.payTo,
      amountAtomic: f.atomic('Amount in the smallest unit of the asset.'),
      priceUsd: z.nullable(f.number('Price in dollars; null if it is not known.')),
      method: f.text('Method that was asked to pay.'),
    }),
    challenge: z.nullable(
      f.group('The 402 as it was received, 16,384 characters of each part at most; null without one.', {
        method: f.text('Method that was answered with it.'),
        header: z.nullable(f.text('The header PAYMENT-REQUIRED, decoded if it can be; null without one.')),
        body: z.nullable(f.text('The body; null if it is absent or too large to read.')),
        isCut: f.bool('Whether a part of it was left out.'),
      }),
    ),
    result: z.nullable(f.json('What was found, with one entry a check; null until then, and for a host.')),
    endpoints: f.list('Endpoints of a host that are probed.', {
      endpoint: common.endpoint,
      isChecked: f.bool('Whether it was probed since the check was asked for.'),
      checkedAt: z.nullable(f.time('Time of that probe, UTC; null until then.')),
      status: f.about('Status of the endpoint.', common.StatusSchema),
      verdict: common.verdict,
    }),
    previous: z.nullable(f.text('Id of the earlier check that it is compared with; null without one.')),
    profile: f.text('URL of the profile of the host.'),
    badge: f.text('URL of the badge of the host.'),
  },
)

export const RotationSchema = f.model(
  'Rotation',
  'An announcement of a new receiver whose signature is right. What is wrong with another one is a 400.',
  {
    endpoint: common.endpoint,
    verified: f.about('Always true.', z.literal(true)),
    published: f.bool('Whether the announcement was read from the host; false if the request brought it.'),
    publish: z.optional(
      f.group('Entry for `rotations` of /.well-known/x402, if the request brought text and signature.', {
        network: common.network,
        newPayTo: f.text('The new receiver.'),
        validFrom: f.text('Time from which on it receives, UTC.'),
        signature: f.text('Signature of the text by the old receiver.'),
      }),
    ),
  },
)

export const ConfirmationSchema = f.model(
  'Confirmation',
  "A change of receiver that the host's owner confirmed.",
  {
    endpoint: common.endpoint,
    oldPayTo: f.text('The receiver before.'),
    newPayTo: f.text('The receiver now.'),
    claimedAt: f.time('Time of the first proof of the host claim, UTC.'),
    countsFrom: f.time('Time from which on the verdict is Caution at best, if the receiver stays, UTC.'),
  },
)

export const HostClaimSchema = f.model(
  'HostClaim',
  'A host claim that was proven by a file or a TXT record.',
  {
    host: f.text('The claimed host.'),
    method: f.oneOf('Where the token was found.', ['file', 'dns']),
    since: f.time('Time of the first proof, UTC.'),
    token: f.text('The published token: a hash of the secret.'),
  },
)

export const OwnerSchema = f.model(
  'Owner',
  'How to claim a host, and the texts by which its owner announces a receiver.',
  {
    host: common.host,
    claims: f.list('Claims that hold, oldest first.', {
      method: f.oneOf('Where the token is published.', ['file', 'dns']),
      since: f.time('Time from which on the claim holds, UTC.'),
      checkedAt: f.time('Time of the last check, UTC.'),
      nextCheckAt: f.time('Time from which on it is checked again, UTC.'),
    }),
    secret: f.text('Secret for this caller: it authorizes to act for the host once the claim is proven.'),
    file: f.group('File that may hold the token of the secret.', {
      url: f.text('Its URL.'),
      line: f.text('Its line, the token.'),
    }),
    dns: f.group('DNS record that may hold the token of the secret.', {
      name: f.text('Name of the record.'),
      type: f.about('Type of the record.', z.literal('TXT')),
      value: f.text('Value of the record, the token.'),
    }),
    disputes: f.list('Disputes of the host, oldest first.', {
      id: f.text('Id of the dispute.'),
      about: f.text('URL of the endpoint, or id of the incident.'),
      state: f.oneOf('State of the dispute.', ['open', 'answered', 'upheld', 'rejected']),
      since: f.time('When it was opened, UTC.'),
      promisedBy: f.time('By when an answer was promised, UTC.'),
      decidedAt: z.nullable(f.time('When it was decided, UTC; null while it is open.')),
    }),
    announcements: f.list('Changes of receiver that can be announced, newest first, at most 20.', {
      endpoint: f.text('An endpoint that it applies to.'),
      network: common.network,
      oldPayTo: f.text('The receiver that signs.'),
      newPayTo: z.nullable(f.text('The new receiver that was measured; null before its use.')),
      firstSeenAt: z.nullable(f.time('Time of its first use, UTC; null before.')),
      validFrom: f.text('Time in the text from which on it receives, UTC.'),
      text: f.text('Text to sign; its line `new` is to be filled in while newPayTo is null.'),
      announcedFrom: z.nullable(
        f.time('Time from which on it counts as announced, UTC; null if it does not.'),
      ),
      amountAtomic: z.nullable(
        f.text(
          'Amount of USDC on Base, in its smallest unit, by whose payment before its use the old receiver announces the new one; null until `newPayTo` of the query names it.',
        ),
      ),
    }),
    funding: f.list(
      'Payments that fund a test purchase, of endpoints whose price is above the usual limit.',
      {
        endpoint: f.text('Endpoint that is bought from.'),
        network: common.network,
        from: f.text('Its receiver, from which the payment must come.'),
        to: f.text('Address of this service.'),
        amountUsd: f.text('Exact amount of USDC, as decimal dollars: the price and a tag below a cent.'),
      },
    ),
  },
)

export const DisputeSchema = f.model('Dispute', 'A dispute that was opened.', {
  id: f.text('Id of the dispute.'),
  host: f.text('Host that it is about.'),
  state: f.about('Always open.', z.literal('open')),
  since: f.time('When it was opened, UTC.'),
  promisedBy: f.time('By when the operator promises an answer, UTC.'),
})

export const ReplySchema = f.model('Reply', "A reply of the host's owner, as it was sent.", {
  id: f.text('Id of the reply, one of each subject.'),
  host: f.text('Host that it is about.'),
  about: f.text('The host, the URL of an endpoint, or the id of an incident.'),
  state: f.oneOf('Whether the profile shows it.', ['shown', 'withdrawn']),
  at: f.time('When it was sent or withdrawn, UTC.'),
  commitment: z.nullable(
    f.group('What the log holds of the text; null once it is withdrawn.', {
      salt: f.text('Random salt. Only this answer shows it.'),
      sha256: f.text('SHA-256 of the salt, a line feed and the text, in base64.'),
    }),
  ),
})

export const WebhookSchema = f.model('Webhook', 'A new webhook. Its URL gets a challenge first.', {
  id: f.text('Id of the webhook.'),
  host: f.text('Host whose incidents and changes are sent.'),
  url: f.text('URL that receives messages.'),
  secret: f.text('Verifies messages. Shown this once.'),
  state: f.about('Always unconfirmed.', z.literal('unconfirmed')),
  createdAt: f.time('Time of its creation, UTC.'),
  expiresAt: f.time('Time of its end, UTC.'),
})

export const RemovedWebhookSchema = f.model('RemovedWebhook', 'A webhook that was removed.', {
  id: f.text('Id of the webhook.'),
  removed: f.about('Always true.', z.literal(true)),
})

export const LogEntrySchema = f.model('LogEntry', 'One entry of the transparency log, and its proof.', {
  index: f.whole('Place of the entry in the log.'),
  leaf: f.text('The entry as it was hashed: canonical JSON (RFC 8785).'),
  opening: z.nullable(f.text('Its names, as canonical JSON; null if it has none or was deleted.')),
  proof: f.text('A C2SP tlog-proof, complete for offline use.'),
})
