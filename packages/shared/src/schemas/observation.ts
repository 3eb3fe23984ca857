import * as z from 'zod/mini'
import { CountSchema, DateSchema, TimestampSchema } from '../primitives.ts'

/**
 * One probe of an endpoint as it was recorded, published 24 hours after it was made, or at once if a finding cites it. It
 * holds all that a judgement reads, and no headers of the answer or addresses of the prober.
 */
export const PublishedLookSchema = z.object({
  id: z.string(),
  endpoint: z.string(),
  at: TimestampSchema,
  /** Name of the client identity. */
  client: z.string(),
  /** User agent of the client identity; null if that is no longer in use. */
  userAgent: z.nullable(z.string()),
  purpose: z.enum(['scheduled', 'confirm', 'control', 'live']),
  method: z.string(),
  outcome: z.enum(['up', 'down', 'not_measured']),
  cause: z.string(),
  httpStatus: z.nullable(CountSchema),
  latencyMs: z.nullable(z.number()),
  /** Protocol versions of the offers. */
  versions: z.array(z.union([z.literal(1), z.literal(2)])),
  offers: z.array(
    z.object({
      x402Version: z.union([z.literal(1), z.literal(2)]),
      scheme: z.string(),
      network: z.string(),
      asset: z.string(),
      payTo: z.string(),
      amountAtomic: z.string(),
      /** Payment flow outside every published scheme, or the field that contradicts the scheme. */
      unsafeFlow: z.nullable(z.string()),
      /** Why the guard cannot pay an offer of this form. */
      unpayable: z.optional(z.nullable(z.string())),
      /** What stock clients refuse an exact EVM offer for, in the EIP-712 domain that its `extra` names. */
      stockRefuses: z.optional(z.enum(['domain_missing', 'domain_mismatch'])),
    }),
  ),
  /** Contradictions within the answer, each as JSON text. */
  disagreements: z.array(z.string()),
  /** Codes of parse errors. */
  problems: z.array(z.string()),
  /** Origin that the challenge's `resource` names. */
  resourceOrigin: z.nullable(z.string()),
  declaresInput: z.boolean(),
  declaresOutput: z.boolean(),
  /** Whether the URL that the challenge names redirects to the endpoint; present if it was asked. */
  leadsHere: z.optional(z.boolean()),
  /** Hash of the request: equal requests have equal ones. */
  request: z.optional(z.string()),
  /** Present if a refused request was repeated with all that the host declares. */
  reread: z.optional(z.literal(true)),
  /** The one key whose signed offers cover all offers: `eip155:` and an address, or `jwk:` and a thumbprint. */
  offersSignedBy: z.optional(z.string()),
  /** Present if a 2xx answer to the unpaid call delivered data. */
  delivered: z.optional(z.literal(true)),
  /** The day's probes of the host, and the leaf of the log with their hash; null while it is not logged. */
  day: z.object({ date: DateSchema, url: z.string(), leaf: z.nullable(CountSchema) }),
})

export type PublishedLook = z.infer<typeof PublishedLookSchema>
