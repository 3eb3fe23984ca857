import * as z from 'zod/mini'
import { ScoreSchema, TimestampSchema } from '../primitives.ts'
import { RiskLevelSchema, TermSchema, VerdictCodeSchema } from './verdict.ts'

/**
 * Signed part of a verdict (compact JWS, EdDSA): everything that a payment depends on.
 * `seq` is the Unix time in ms of the decision and increases with every decision on the same endpoint.
 */
export const SignedDecisionSchema = z.object({
  iss: z.string(),
  endpoint: z.string(),
  verdict: VerdictCodeSchema,
  score: z.optional(ScoreSchema),
  riskLevel: RiskLevelSchema,
  /** Not an enum, so that guards read the flags of later score versions. */
  flags: z.array(z.string()),
  terms: z.array(TermSchema),
  /** Other hosts that the resource of a challenge may name. The guard cannot tell which hosts are one site. */
  resourceHosts: z.optional(z.array(z.string())),
  /** With `probes`: a new receiver, or fewer than 3 probes, limits the amount that a `safe` allows. */
  receiverStability: z.nullable(z.enum(['new', 'stable', 'changed'])),
  probes: z.int().check(z.minimum(0)),
  checkedAt: z.nullable(TimestampSchema),
  expiresAt: TimestampSchema,
  seq: z.int().check(z.minimum(0)),
  scoreVersion: z.string(),
  /** Leaf of the log that covers the decision, once it is logged. */
  logIndex: z.optional(z.int().check(z.minimum(0))),
})

export type SignedDecision = z.infer<typeof SignedDecisionSchema>
