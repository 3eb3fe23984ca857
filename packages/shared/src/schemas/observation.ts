import * as z from 'zod/mini'
import { about, CountSchema, DateSchema, named, TimestampSchema } from '../primitives.ts'
import { COMMON } from './common.ts'
import { IncidentSchema } from './feeds.ts'

const VersionSchema = z.union([z.literal(1), z.literal(2)])
const ID = 'Id of the probe, as findings give it.'
const CLIENT = 'Client identity that the prober used, by number.'

const OFFER = {
  x402Version: about('Version of the protocol that the offer is made in.', VersionSchema),
  scheme: about('Payment scheme.', z.string()),
  network: about(COMMON.network, z.string()),
  asset: about('Token that is asked for.', z.string()),
  payTo: about(COMMON.payTo, z.string()),
  amountAtomic: about(COMMON.amountAtomic, z.string()),
}

/**
 * One probe of an endpoint as it was recorded: all that a judgement reads, and no headers of the answer or addresses of the
 * prober.
 */
export const PublishedLookSchema = named(
  'Observation',
  'One probe as it was recorded, published 24 hours after it was made, or at once if a finding cites it.',
  z.object({
    id: about(ID, z.string()),
    endpoint: about(COMMON.endpoint, z.string()),
    at: about('When the answer came, UTC.', TimestampSchema),
    client: about(CLIENT, z.string()),
    userAgent: about(
      'User agent that this identity sends; null if it is no longer in use.',
      z.nullable(z.string()),
    ),
    purpose: about('Why the probe was made.', z.enum(['scheduled', 'confirm', 'control', 'live'])),
    method: about('HTTP method that was sent.', z.string()),
    outcome: about('How the probe counts for uptime.', z.enum(['up', 'down', 'not_measured'])),
    cause: about('Reason for the outcome.', z.string()),
    httpStatus: about('Status of the answer; null if none came.', z.nullable(CountSchema)),
    latencyMs: about('Time until the answer began, ms; null if none came.', z.nullable(z.number())),
    versions: about('Protocol versions of the offers.', z.array(VersionSchema)),
    offers: about(
      'Every offer of the challenge.',
      z.array(
        z.object({
          ...OFFER,
          unsafeFlow: about(
            'Payment flow outside every published scheme, or the field that contradicts the scheme.',
            z.nullable(z.string()),
          ),
          unpayable: about(
            'Why the guard cannot pay an offer of this form.',
            z.optional(z.nullable(z.string())),
          ),
          stockRefuses: about(
            'What stock clients refuse an exact EVM offer for, in the EIP-712 domain that its `extra` names.',
            z.optional(z.enum(['domain_missing', 'domain_mismatch'])),
          ),
        }),
      ),
    ),
    disagreements: about('Contradictions within the answer, each as JSON text.', z.array(z.string())),
    problems: about('Codes of parse errors.', z.array(z.string())),
    resourceOrigin: about("Origin that the challenge's `resource` names.", z.nullable(z.string())),
    declaresInput: about('Whether the challenge declares its input.', z.boolean()),
    declaresOutput: about('Whether the challenge declares its output.', z.boolean()),
    leadsHere: about(
      'Whether the URL that the challenge names redirects to the endpoint; present if it was asked.',
      z.optional(z.boolean()),
    ),
    request: about('Hash of the request: equal requests have equal ones.', z.optional(z.string())),
    reread: about(
      'Present if a refused request was repeated with all that the host declares.',
      z.optional(z.literal(true)),
    ),
    offersSignedBy: about(
      'The one key whose signed offers cover all offers: `eip155:` and an address, or `jwk:` and a thumbprint.',
      z.optional(z.string()),
    ),
    delivered: about(
      'Present if a 2xx answer to the unpaid call delivered data.',
      z.optional(z.literal(true)),
    ),
    day: about(
      "The day's probes of the host, and the log entry with their hash.",
      z.object({
        date: about('Day in UTC.', DateSchema),
        url: about('Where its probes are published, 24 hours after its end.', z.string()),
        leaf: about('Index of the log entry; null while it is not logged.', z.nullable(CountSchema)),
      }),
    ),
  }),
)

export type PublishedLook = z.infer<typeof PublishedLookSchema>

const ProbeLinkSchema = z.object({
  id: about(ID, z.string()),
  at: about('When the answer came, UTC.', TimestampSchema),
  client: about(CLIENT, z.string()),
  url: about('Where the probe is published; absent until it is.', z.optional(z.string())),
  publishedFrom: about('From when on it is; absent once it is.', z.optional(TimestampSchema)),
})

/** An incident with its evidence. */
export const IncidentEvidenceSchema = named(
  'IncidentEvidence',
  'An incident with both sides of it, the probes and test purchases that it cites, its history and a recipe.',
  z.extend(IncidentSchema, {
    sides: about(
      'Terms that differ, one entry each: who was shown them and when, or the listing.',
      z.array(
        z.object({
          title: about('Before, Now, Shown, or the directory of the listing.', z.string()),
          offers: about('Offers, equal ones once.', z.array(z.object(OFFER))),
          listing: about(
            'The listing that claims other terms.',
            z.optional(
              z.object({
                directory: about(COMMON.directory, z.string()),
                claims: about('What it claims.', z.record(z.string(), z.unknown())),
              }),
            ),
          ),
          looks: about('Probes that were answered with these terms.', z.array(ProbeLinkSchema)),
        }),
      ),
    ),
    looks: about('Probes that showed the finding first, oldest first.', z.array(ProbeLinkSchema)),
    purchases: about(
      'Test purchases that the finding rests on.',
      z.array(
        z.object({
          id: about('Id of the purchase.', z.string()),
          at: about('When it was recorded, UTC.', TimestampSchema),
          askedAt: about('When the call was made, UTC.', TimestampSchema),
          answeredAt: about(
            'When the paid answer was read, UTC; null if none came.',
            z.nullable(TimestampSchema),
          ),
          network: about(COMMON.network, z.string()),
          payTo: about(COMMON.payTo, z.string()),
          amountAtomic: about(COMMON.amountAtomic, z.string()),
          txHash: about('Transaction of the settlement; null without one.', z.nullable(z.string())),
          settled: about('Whether the chain shows the payment.', z.boolean()),
          delivered: about('Whether a 2xx with at least one byte came back.', z.boolean()),
          httpStatus: about('Status of the paid answer; null if none came.', z.nullable(CountSchema)),
          excerpt: about(
            'The first 300 characters of its text, at most 512 bytes; null without any.',
            z.nullable(z.string()),
          ),
        }),
      ),
    ),
    history: about(
      'What happened to it, oldest first.',
      z.array(
        z.object({
          event: about('What happened.', z.enum(['seen', 'confirmed', 'opened', 'resolved', 'disputed'])),
          at: about('When, UTC.', TimestampSchema),
        }),
      ),
    ),
    recipe: about(
      'How anybody reproduces the finding.',
      z.object({
        commands: about('Lines for a shell, safe to paste.', z.array(z.string())),
        expect: about('What their output shows.', z.string()),
      }),
    ),
  }),
)
