import * as z from 'zod/mini'
import { named } from '../primitives.ts'

/** Body of every error response. Source: RFC 9457. */
export const ProblemSchema = named(
  'Problem',
  'Problem details: what is wrong and how to fix it (RFC 9457).',
  z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    detail: z.string(),
    errors: z.optional(z.array(z.object({ parameter: z.string(), code: z.string(), message: z.string() }))),
    receipt: z.optional(z.string()),
  }),
)

/** Body of the 402 response to an unpaid call. */
export const PaymentRequiredSchema = named(
  'PaymentRequired',
  'The x402 v1 challenge. The v2 challenge with the same terms is in the PAYMENT-REQUIRED header.',
  z.object({
    x402Version: z.literal(1),
    error: z.string(),
    accepts: z.array(z.record(z.string(), z.unknown())),
  }),
)

export type Problem = z.infer<typeof ProblemSchema>
