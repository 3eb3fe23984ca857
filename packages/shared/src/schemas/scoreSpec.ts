import * as z from 'zod/mini'
import { DateSchema, named, ScoreSchema } from '../primitives.ts'
import { FLAG_RISKS } from '../verdictCodes.ts'
import { BandSchema, FlagSchema, VerdictCodeSchema } from './verdict.ts'

export const ScoreSpecSchema = named(
  'ScoreSpec',
  'The specification of the trust score: bands, factors, flags, verdict rules, caps and changelog.',
  z.object({
    version: z.string(),
    bands: z.array(z.object({ id: BandSchema, min: ScoreSchema, max: ScoreSchema })),
    factors: z.array(
      z.object({ id: z.string(), name: z.string(), min: z.int(), max: z.int(), when: z.string() }),
    ),
    flags: z.array(
      z.object({ id: FlagSchema, risk: z.enum(FLAG_RISKS), meaning: z.string(), fix: z.string() }),
    ),
    verdictRules: z.array(z.object({ verdict: VerdictCodeSchema, when: z.string() })),
    caps: z.array(z.object({ incident: z.string(), maxScore: ScoreSchema })),
    thresholds: z.record(z.string(), z.number()),
    changelog: z.array(z.object({ version: z.string(), date: DateSchema, changes: z.array(z.string()) })),
  }),
)

export type ScoreSpec = z.infer<typeof ScoreSpecSchema>
