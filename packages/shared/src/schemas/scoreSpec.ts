import * as z from 'zod/mini'
import { about, DateSchema, named, ScoreSchema } from '../primitives.ts'
import { FLAG_RISKS } from '../verdictCodes.ts'
import { COMMON } from './common.ts'
import { BandSchema, FlagSchema, VerdictCodeSchema } from './verdict.ts'

export const ScoreSpecSchema = named(
  'ScoreSpec',
  'The specification of the trust score: bands, factors, flags, verdict rules, caps and changelog.',
  z.object({
    version: about('Version of the specification.', z.string()),
    bands: about(
      'Bands of the score.',
      z.array(
        z.object({
          id: about('Id of the band.', BandSchema),
          min: about('Lowest score of the band.', ScoreSchema),
          max: about('Highest score of the band.', ScoreSchema),
        }),
      ),
    ),
    factors: about(
      'Factors that add up to the score.',
      z.array(
        z.object({
          id: about('Id of the factor.', z.string()),
          name: about('Name of the factor.', z.string()),
          min: about('Fewest points; negative for deductions.', z.int()),
          max: about('Most points.', z.int()),
          when: about('What the points are given for.', z.string()),
        }),
      ),
    ),
    flags: about(
      'Flags that findings raise.',
      z.array(
        z.object({
          id: about('Id of the flag.', FlagSchema),
          risk: about('Risk level that it implies.', z.enum(FLAG_RISKS)),
          meaning: about('What was found.', z.string()),
          fix: about('What the seller can do.', z.string()),
        }),
      ),
    ),
    verdictRules: about(
      'Rules in order; the first that applies decides.',
      z.array(
        z.object({
          verdict: about(COMMON.verdict, VerdictCodeSchema),
          when: about('Condition of the rule.', z.string()),
        }),
      ),
    ),
    caps: about(
      'Highest scores that incidents leave.',
      z.array(
        z.object({
          incident: about('Kind and state of the incident.', z.string()),
          maxScore: about('Highest score while it holds.', ScoreSchema),
        }),
      ),
    ),
    thresholds: about('Numbers that the rules refer to, by name.', z.record(z.string(), z.number())),
    changelog: about(
      'Versions of the specification, newest first.',
      z.array(
        z.object({
          version: about('Version.', z.string()),
          date: about('Day of the version, UTC.', DateSchema),
          changes: about('What changed, one sentence each.', z.array(z.string())),
        }),
      ),
    ),
  }),
)

export type ScoreSpec = z.infer<typeof ScoreSpecSchema>
