import * as z from 'zod/mini'
import { CountSchema, DateSchema, named, ScoreSchema, UsdSchema } from '../primitives.ts'
import { VERDICT_LABELS } from '../verdictCodes.ts'
import {
  DarkSinceSchema,
  FlagSchema,
  ReceiverProfileSchema,
  ReceiverStabilitySchema,
  RiskLevelSchema,
  StatusSchema,
  VerdictCodeSchema,
} from './verdict.ts'

export const EndpointRowSchema = named(
  'EndpointRow',
  'One endpoint of a service.',
  z.object({
    endpoint: z.string(),
    method: z.string(),
    status: StatusSchema,
    darkSince: DarkSinceSchema,
    verdict: VerdictCodeSchema,
    priceUsd: z.nullable(UsdSchema),
    trust: z.nullable(ScoreSchema),
    riskLevel: RiskLevelSchema,
    flags: z.array(FlagSchema),
    overruledBy: z.array(FlagSchema),
  }),
)

export const ProfileSchema = named(
  'Profile',
  'The public trust profile of one service: one host with its endpoints.',
  z.object({
    host: z.string(),
    verdict: VerdictCodeSchema,
    label: z.enum(Object.values(VERDICT_LABELS)),
    trustScore: z.nullable(ScoreSchema),
    liveness: z.string(),
    /** Time since which no endpoint is live; null while one is, or where that is not known. */
    darkSince: DarkSinceSchema,
    uptime: z.string(),
    pricePerCall: z.string(),
    network: z.string(),
    receiver: ReceiverProfileSchema,
    receiverStability: ReceiverStabilitySchema,
    riskLevel: RiskLevelSchema,
    flags: z.array(FlagSchema),
    /** The flags that make the verdict worse than the score alone would. */
    overruledBy: z.array(FlagSchema),
    listedBy: z.array(z.string()),
    firstSeen: DateSchema,
    lastChecked: z.nullable(DateSchema),
    probes: CountSchema,
    endpoints: z.array(EndpointRowSchema),
    notice: z.string(),
    scoreVersion: z.string(),
  }),
)

export type EndpointRow = z.infer<typeof EndpointRowSchema>
export type Profile = z.infer<typeof ProfileSchema>
