import * as z from 'zod/mini'
import { FLAG_RISKS } from '../verdictCodes.ts'
import { AccuracyFiguresSchema } from './accuracy.ts'
import * as common from './common.ts'
import * as f from './fields.ts'

export const ScoreSpecSchema = f.model('ScoreSpec', 'The specification of the trust score.', {
  version: f.text('Version of the specification.'),
  bands: f.list('Bands of the score.', {
    id: f.about('Id of the band.', common.BandSchema),
    min: f.score('Lowest score of the band.'),
    max: f.score('Highest score of the band.'),
  }),
  factors: f.list('Factors that add up to the score.', {
    id: f.text('Id of the factor.'),
    name: f.text('Name of the factor.'),
    min: f.about('Fewest points; negative for deductions.', z.int()),
    max: f.about('Most points.', z.int()),
    when: f.text('What the points are given for.'),
  }),
  flags: f.list('Flags that findings raise.', {
    id: f.about('Id of the flag.', common.FlagSchema),
    risk: f.oneOf('Risk level that it implies.', FLAG_RISKS),
    meaning: f.text('What was found.'),
    fix: f.text('What the seller can do.'),
  }),
  verdictRules: f.list('Rules in order; the first that applies decides.', {
    verdict: common.verdict,
    when: f.text('Condition of the rule.'),
  }),
  caps: f.list('Highest scores that incidents leave.', {
    incident: f.text('Kind and state of the incident.'),
    maxScore: f.score('Highest score while it holds.'),
  }),
  thresholds: f.about('Numbers that the rules refer to, by name.', z.record(z.string(), z.number())),
  accuracy: z.optional(
    f.listOf(
      'How verdicts held, by verdict and band, for each period; as of the latest report, absent before the first.',
      AccuracyFiguresSchema,
    ),
  ),
  changelog: f.list('Versions of the specification, newest first.', {
    version: f.text('Version.'),
    date: f.day('Day of the version, UTC.'),
    changes: f.texts('What changed, one sentence each.'),
  }),
})

export type ScoreSpec = z.infer<typeof ScoreSpecSchema>
