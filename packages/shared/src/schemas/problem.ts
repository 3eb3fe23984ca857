import * as z from 'zod/mini'
import { named } from '../primitives.ts'

/** The body of every answer that is not a success. Source: RFC 9457. */
export const ProblemSchema = named(
  'Problem',
  'What went wrong and what would be right (RFC 9457).',
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

/** The v1 challenge that an unpaid call gets as its body; the v2 one is in the PAYMENT-REQUIRED header. */
export const PaymentRequiredSchema = named(
  'PaymentRequired',
  'The x402 v1 challenge; the v2 challenge of the same terms is in the PAYMENT-REQUIRED header.',
  z.object({
    x402Version: z.literal(1),
    error: z.string(),
    accepts: z.array(z.record(z.string(), z.unknown())),
  }),
)

export type Problem = z.infer<typeof ProblemSchema>
