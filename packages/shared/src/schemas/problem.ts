import * as z from 'zod/mini'
import * as f from './fields.ts'

/** Body of every error response. Source: RFC 9457. */
export const ProblemSchema = f.model('Problem', 'Problem details (RFC 9457).', {
  type: f.text('URI of the kind of problem.'),
  title: f.text('Name of the kind of problem.'),
  status: f.about('HTTP status.', z.int()),
  code: f.text('Code of the problem, for programs.'),
  detail: f.text('What is wrong and how to fix it.'),
  errors: z.optional(
    f.list('Parameters that break a rule.', {
      parameter: f.text('Name of the parameter.'),
      code: f.text('Code of the rule.'),
      message: f.text('What the parameter must be.'),
    }),
  ),
  receipt: z.optional(f.text('Id of a payment whose outcome is open; send the same payment again.')),
  requestId: z.optional(
    f.text('Id of the request, also in the X-Request-Id header; quote it to the operator.'),
  ),
})

/** Body of the 402 response to an unpaid call. */
export const PaymentRequiredSchema = f.model(
  'PaymentRequired',
  'The x402 v1 challenge. The PAYMENT-REQUIRED header has the v2 challenge with the same terms.',
  {
    x402Version: f.about('Protocol version of this body.', z.literal(1)),
    error: f.text('Why payment is required, in one sentence.'),
    accepts: f.about('Offers, as x402 v1 defines them.', z.array(z.record(z.string(), z.unknown()))),
  },
)

export type Problem = z.infer<typeof ProblemSchema>
