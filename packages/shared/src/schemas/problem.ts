import * as z from 'zod/mini'
import { about, named } from '../primitives.ts'

/** Body of every error response. Source: RFC 9457. */
export const ProblemSchema = named(
  'Problem',
  'Problem details: what is wrong and how to fix it (RFC 9457).',
  z.object({
    type: about('URI of the kind of problem.', z.string()),
    title: about('Name of the kind of problem.', z.string()),
    status: about('HTTP status.', z.int()),
    code: about('Code of the problem, for programs.', z.string()),
    detail: about('What is wrong and how to fix it.', z.string()),
    errors: about(
      'Parameters that break a rule.',
      z.optional(
        z.array(
          z.object({
            parameter: about('Name of the parameter.', z.string()),
            code: about('Code of the rule.', z.string()),
            message: about('What the parameter must be.', z.string()),
          }),
        ),
      ),
    ),
    receipt: about(
      'Id of a payment whose outcome is open; send the same payment again.',
      z.optional(z.string()),
    ),
  }),
)

/** Body of the 402 response to an unpaid call. */
export const PaymentRequiredSchema = named(
  'PaymentRequired',
  'The x402 v1 challenge. The v2 challenge with the same terms is in the PAYMENT-REQUIRED header.',
  z.object({
    x402Version: about('Protocol version of this body.', z.literal(1)),
    error: about('Why payment is required, in one sentence.', z.string()),
    accepts: about('Offers, as x402 v1 defines them.', z.array(z.record(z.string(), z.unknown()))),
  }),
)

export type Problem = z.infer<typeof ProblemSchema>
