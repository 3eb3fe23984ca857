import * as z from 'zod/mini'
import * as common from './common.ts'
import { IncidentSchema } from './feeds.ts'
import * as f from './fields.ts'

/** Fields by which a probe is cited. */
const cited = {
  id: f.text('Id of the probe, as findings give it.'),
  at: f.time('When the answer came, UTC; the begin of its day while `exactFrom` is present.'),
  client: z.nullable(
    f.text('Client identity that the prober used, by number; null while `exactFrom` is present.'),
  ),
  exactFrom: z.optional(f.time('From when on time and client are published; absent once they are.')),
}

const amountAtomic = f.text('Amount in the smallest unit of the asset, as decimal digits.')

const OFFER = {
  x402Version: f.about('Version of the protocol that the offer is made in.', common.VersionSchema),
  scheme: f.text('Payment scheme.'),
  network: common.network,
  asset: f.text('Token that is asked for.'),
  payTo: common.payTo,
  amountAtomic,
}

/** Present if it holds. */
const HoldsSchema = z.optional(z.literal(true))

/**
 * One probe of an endpoint as it was recorded: all that a judgement reads, and no headers of the answer or addresses of the
 * prober.
 */
export const PublishedObservationSchema = f.model(
  'Observation',
  'One probe as recorded, published after 24 hours; or at once if a finding cites it, then without exact time, latency and client for 24 hours.',
  {
    ...cited,
    endpoint: common.endpoint,
    userAgent: z.nullable(
      f.text('User agent that this identity sends; null if it is no longer in use, or not published yet.'),
    ),
    purpose: f.oneOf('Why the probe was made.', common.PURPOSES),
    method: f.text('HTTP method that was sent.'),
    outcome: f.oneOf('How the probe counts for uptime.', common.OUTCOMES),
    cause: f.text('Reason for the outcome.'),
    httpStatus: z.nullable(f.whole('Status of the answer; null if none came.')),
    latencyMs: z.nullable(f.number('Time until the answer began, ms; null if none came.')),
    versions: f.listOf('Protocol versions of the offers.', common.VersionSchema),
    offers: f.list('Every offer of the challenge.', {
      ...OFFER,
      unsafeFlow: z.nullable(
        f.text('Payment flow outside every published scheme, or the contradicting field.'),
      ),
      unpayable: z.optional(z.nullable(f.text('Why the guard cannot pay an offer of this form.'))),
      stockRefuses: z.optional(
        f.oneOf('Fault of its EIP-712 domain that stock clients refuse.', [
          'domain_missing',
          'domain_mismatch',
        ]),
      ),
    }),
    disagreements: f.texts('Contradictions within the answer, each as JSON text.'),
    problems: f.texts('Codes of parse errors.'),
    resourceOrigin: z.nullable(f.text("Origin that the challenge's `resource` names.")),
    declaresInput: f.bool('Whether the challenge declares its input.'),
    declaresOutput: f.bool('Whether the challenge declares its output.'),
    leadsHere: z.optional(
      f.bool('Whether the URL that the challenge names redirects here; absent if it was not asked.'),
    ),
    request: z.optional(f.text('Hash of the request: equal requests have equal ones.')),
    gapMs: z.optional(
      f.whole('Time that was drawn between the probe before and this one, ms; absent if none was.'),
    ),
    input: z.optional(
      f.oneOf('Other input than the usual one that was sent, to see whether terms follow it.', [
        'declared',
        'generated',
        'bare',
      ]),
    ),
    reread: f.about('Present if a refused request was repeated with all declared input.', HoldsSchema),
    offersSignedBy: z.optional(
      f.text('The key that signed all offers: `eip155:` and an address, or `jwk:` and a thumbprint.'),
    ),
    delivered: f.about('Present if a 2xx answer to the unpaid call delivered data.', HoldsSchema),
    day: f.group("The day's probes of the host, and the log entry with their hash.", {
      date: f.day('Day in UTC.'),
      url: f.text('Where its probes are published, 24 hours after its end.'),
      leaf: z.nullable(f.whole('Index of the log entry; null while it is not logged.')),
    }),
  },
)

export type PublishedObservation = z.infer<typeof PublishedObservationSchema>

const ProbeLinkSchema = z.object({
  ...cited,
  identity: z.optional(f.whole('Number of its client identity among the probes of the finding, from 1.')),
  url: z.optional(f.text('Where the probe is published; absent until it is.')),
  publishedFrom: z.optional(f.time('From when on it is; absent once it is.')),
})

/** What was answered in every probe that the findings of an endpoint cite. */
export const FindingsSchema = f.named(
  'Findings',
  'The findings of an endpoint, with what was answered in every probe that their rules ask for.',
  z.object({
    endpoint: common.endpoint,
    findings: f.list('Its findings; none if it has none.', {
      code: f.text('Code of the reason, such as the id of a flag.'),
      message: f.text('What was measured.'),
      evidence: f.texts('Ids of the facts behind it.'),
      identities: f.whole('Number of client identities that made the probes.'),
      before: f.texts('Receivers before the last change of receiver; none without one.'),
      claimedUsd: z.nullable(f.usd("Price that the host's own document claims; null without one.")),
      probes: f.listOf(
        'The probes that it cites, oldest first.',
        z.extend(z.omit(PublishedObservationSchema, { day: true, userAgent: true }), {
          identity: f.whole('Number of its client identity among the probes of the finding, from 1.'),
        }),
      ),
    }),
  }),
)

export type PublishedFindings = z.infer<typeof FindingsSchema>

/** An incident with its evidence. */
export const IncidentEvidenceSchema = f.named(
  'IncidentEvidence',
  'An incident with its evidence and a recipe that reproduces it.',
  z.extend(IncidentSchema, {
    sides: f.list('Terms that differ, one entry each: who was shown them and when, or the listing.', {
      title: f.text('Before, Now, Shown, or the directory of the listing.'),
      offers: f.list('Offers, equal ones once.', OFFER),
      listing: z.optional(
        f.group('The listing that claims other terms.', {
          directory: common.directory,
          claims: f.json('What it claims.'),
        }),
      ),
      probes: f.listOf('Probes that were answered with these terms.', ProbeLinkSchema),
    }),
    probes: f.listOf('Probes that showed the finding first, oldest first.', ProbeLinkSchema),
    purchases: f.list('Test purchases that the finding rests on.', {
      id: f.text('Id of the purchase.'),
      at: f.time('When it was recorded, UTC.'),
      askedAt: f.time('When the call was made, UTC.'),
      answeredAt: z.nullable(f.time('When the paid answer was read, UTC; null if none came.')),
      network: common.network,
      payTo: common.payTo,
      amountAtomic,
      txHash: z.nullable(f.text('Transaction of the settlement; null without one.')),
      settled: f.bool('Whether the chain shows the payment.'),
      delivered: f.bool('Whether a 2xx with at least one byte came back.'),
      httpStatus: z.nullable(f.whole('Status of the paid answer; null if none came.')),
      excerpt: z.nullable(
        f.text('The first 300 characters of its text, at most 512 bytes; null without any.'),
      ),
    }),
    history: f.list('What happened to it, oldest first.', {
      event: f.oneOf('What happened.', ['seen', 'confirmed', 'opened', 'resolved', 'disputed']),
      at: f.time('When, UTC.'),
    }),
    recipe: f.group('How to reproduce the finding.', {
      commands: f.texts('Lines for a shell, safe to paste.'),
      expect: f.text('What their output shows.'),
    }),
  }),
)
