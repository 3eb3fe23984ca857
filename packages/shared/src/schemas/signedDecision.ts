import * as z from 'zod/mini'
import * as common from './common.ts'
import * as f from './fields.ts'
import { TermSchema } from './verdict.ts'

/**
 * Signed part of a verdict (compact JWS, EdDSA): everything that a payment depends on.
 * `seq` is the Unix time in ms of the decision and increases with every decision on the same endpoint.
 */
export const SignedDecisionSchema = z.object({
  iss: z.string(),
  endpoint: z.string(),
  verdict: common.VerdictCodeSchema,
  score: z.optional(f.ScoreSchema),
  riskLevel: common.RiskLevelSchema,
  /** Not an enum, so that guards read the flags of later score versions. */
  flags: z.array(z.string()),
  terms: z.array(TermSchema),
  /** Other hosts that the resource of a challenge may name. The guard cannot tell which hosts are one site. */
  resourceHosts: z.optional(z.array(z.string())),
  /** With `probes`: a new receiver, or fewer than 3 probes, limits the amount that a `safe` allows. */
  receiverStability: common.ReceiverStabilitySchema,
  probes: f.CountSchema,
  /** Absent in decisions from before score 1.3.0. Not enums, so that guards read the codes of later versions. */
  delivery: z.optional(
    z.object({
      status: z.string(),
      month: z.nullable(z.string()),
      paidUsd: z.nullable(z.number()),
      reason: z.nullable(z.string()),
    }),
  ),
  checkedAt: z.nullable(f.TimestampSchema),
  expiresAt: f.TimestampSchema,
  seq: f.CountSchema,
  scoreVersion: z.string(),
  /** Leaf of the log that covers the decision, once it is logged. */
  logIndex: z.optional(f.CountSchema),
})

export type SignedDecision = z.infer<typeof SignedDecisionSchema>
