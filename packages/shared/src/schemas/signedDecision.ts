import * as z from 'zod/mini'
import { ScoreSchema, TimestampSchema } from '../primitives.ts'
import { FlagSchema, RiskLevelSchema, TermSchema, VerdictCodeSchema } from './verdict.ts'

/** The media type in the protected header of a signed decision. */
export const DECISION_TYPE = 'touchstone-decision+jwt'

/**
 * What the service signs (compact JWS, EdDSA): the part of a verdict that money depends on.
 * `seq` grows with every decision on the same endpoint: milliseconds since 1970 at which it was made.
 */
export const SignedDecisionSchema = z.object({
  iss: z.string(),
  endpoint: z.string(),
  verdict: VerdictCodeSchema,
  score: z.optional(ScoreSchema),
  riskLevel: RiskLevelSchema,
  flags: z.array(FlagSchema),
  terms: z.array(TermSchema),
  /** New receivers and fewer than 3 probes bound what a `safe` is good for. */
  receiverStability: z.nullable(z.enum(['new', 'stable', 'changed'])),
  probes: z.int().check(z.minimum(0)),
  checkedAt: z.nullable(TimestampSchema),
  expiresAt: TimestampSchema,
  seq: z.int().check(z.minimum(0)),
  scoreVersion: z.string(),
})

export type SignedDecision = z.infer<typeof SignedDecisionSchema>
