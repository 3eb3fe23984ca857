import * as z from 'zod/mini'
import { about, CountSchema, DateSchema, named, ScoreSchema, UsdSchema } from '../primitives.ts'
import { VERDICT_LABELS } from '../verdictCodes.ts'
import { COMMON } from './common.ts'
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
    endpoint: about(COMMON.endpoint, z.string()),
    method: about(COMMON.method, z.string()),
    status: about('Result of the latest probes: live, dark, invalid or unmeasured.', StatusSchema),
    darkSince: about(COMMON.darkSince, DarkSinceSchema),
    verdict: about(COMMON.verdict, VerdictCodeSchema),
    priceUsd: about(COMMON.priceUsd, z.nullable(UsdSchema)),
    trust: about('Trust score from 0 to 100; null if never measured.', z.nullable(ScoreSchema)),
    riskLevel: about(COMMON.riskLevel, RiskLevelSchema),
    flags: about(COMMON.flags, z.array(FlagSchema)),
    overruledBy: about(COMMON.overruledBy, z.array(FlagSchema)),
  }),
)

export const ProfileSchema = named(
  'Profile',
  'The public trust profile of one service: one host with its endpoints.',
  z.object({
    host: about(COMMON.host, z.string()),
    verdict: about(COMMON.verdict, VerdictCodeSchema),
    label: about(COMMON.label, z.enum(Object.values(VERDICT_LABELS))),
    trustScore: about(
      'Trust score of the host from 0 to 100; null if nothing could be measured.',
      z.nullable(ScoreSchema),
    ),
    liveness: about('Live endpoints of all known ones, as "live/total".', z.string()),
    darkSince: about(
      'Time since which no endpoint is live; null while one is, or where that is not known.',
      DarkSinceSchema,
    ),
    uptime: about('Uptime in percent with its number of probes, as text.', z.string()),
    pricePerCall: about('Price of a call, as "$price" or "$min-$max".', z.string()),
    network: about('Name of the network that payments are made on.', z.string()),
    receiver: about(
      'Activity of the receiver on chain: established or dormant; null if it could not be read.',
      ReceiverProfileSchema,
    ),
    receiverStability: about(
      'Whether the receiver is new, stable or changed; null if none was measured.',
      ReceiverStabilitySchema,
    ),
    riskLevel: about(COMMON.riskLevel, RiskLevelSchema),
    flags: about(COMMON.flags, z.array(FlagSchema)),
    overruledBy: about(COMMON.overruledBy, z.array(FlagSchema)),
    listedBy: about('Directories that list the host.', z.array(z.string())),
    firstSeen: about(COMMON.firstSeen, DateSchema),
    lastChecked: about('Day of the last probe, UTC; null if never probed.', z.nullable(DateSchema)),
    probes: about('Number of probes that count.', CountSchema),
    endpoints: about('Known endpoints of the host.', z.array(EndpointRowSchema)),
    notice: about('What the profile rests on, and what to check before paying.', z.string()),
    scoreVersion: about(COMMON.scoreVersion, z.string()),
  }),
)

export type EndpointRow = z.infer<typeof EndpointRowSchema>
export type Profile = z.infer<typeof ProfileSchema>
