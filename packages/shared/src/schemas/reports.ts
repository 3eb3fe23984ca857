import * as z from 'zod/mini'
import { AccuracyDaySchema, AccuracyFiguresSchema, heldPctShape } from './accuracy.ts'
import * as common from './common.ts'
import { DirectoryAccuracySchema, ecosystemShape } from './ecosystem.ts'
import * as f from './fields.ts'

/** Fields of one day. */
const dayShape = {
  date: f.day('Day of the report, UTC.'),
  asOf: common.asOf,
  hosts: f.whole('Hosts known.'),
  ...ecosystemShape,
  medianPriceUsd: z.nullable(f.usd('Median known price of live endpoints in dollars; null without any.')),
  riskByLevel: f.group('Endpoints by risk level; before score 1.1.0, unmeasured ones count as clean.', {
    clean: f.whole('Endpoints without a finding.'),
    low: f.whole('Endpoints whose worst finding is low.'),
    medium: f.whole('Endpoints whose worst finding is medium.'),
    high: f.whole('Endpoints whose worst finding is high.'),
    unknown: z.optional(f.whole('Endpoints that were never measured; absent before score 1.1.0.')),
  }),
  byVerdict: f.group('Endpoints by verdict.', {
    safe: f.whole('Endpoints that are safe to pay.'),
    caution: f.whole('Endpoints to be paid with caution.'),
    avoid: f.whole('Endpoints to avoid.'),
    unknown: f.whole('Endpoints without a verdict.'),
  }),
  hostsByVerdict: z.optional(
    f.group('Hosts by verdict; absent in reports of earlier versions.', {
      safe: f.whole('Hosts that are safe to pay.'),
      caution: f.whole('Hosts to be paid with caution.'),
      avoid: f.whole('Hosts to avoid.'),
      unknown: f.whole('Hosts without a verdict.'),
    }),
  ),
  flagCounts: f.counts('Endpoints by flag.'),
  incidentsOpen: f.whole('Open incidents.'),
  incidentsNew: f.whole('Incidents detected in the 24 hours before, open or resolved.'),
  changes: f.group('Changes of the 24 hours before, by kind.', {
    service_gone_dark: f.whole('Services gone dark.'),
    payto_swap: f.whole('Receivers changed.'),
    price_jump: f.whole('Price jumps.'),
    new_service: f.whole('New services.'),
    service_recovered: f.whole('Services that work again.'),
  }),
  scoreVersion: common.scoreVersion,
  accuracy: z.optional(
    f.about(
      'Outcomes of earlier verdicts that this report counts. In the series only with `since`; absent before score 1.3.0.',
      AccuracyDaySchema,
    ),
  ),
}

const ReportSchema = f.model('Report', 'The state of the ecosystem on one day.', {
  ...dayShape,
  directories: f.listOf('Accuracy of each directory.', DirectoryAccuracySchema),
  summary: f.text('The state of the day, in sentences.'),
  accuracyFigures: z.optional(
    f.listOf('How verdicts held, for each period; absent before score 1.3.0.', AccuracyFiguresSchema),
  ),
})

const ReportDaySchema = f.model('ReportDay', 'One day of the report series.', {
  ...dayShape,
  directories: z.optional(
    f.listOf('Accuracy of each directory; absent in answers of earlier versions.', DirectoryAccuracySchema),
  ),
  held: z.optional(
    f.list('Share of verdicts that held, for each period; absent before score 1.3.0.', heldPctShape),
  ),
})

export const ReportFeedSchema = f.model('ReportFeed', 'The latest report and the daily series.', {
  asOf: common.asOf,
  latest: f.about('The latest report; null before the first one.', z.nullable(ReportSchema)),
  count: f.whole('Number of days in the series.'),
  series: f.listOf('One record for each day, oldest first.', ReportDaySchema),
})

export type Report = z.infer<typeof ReportSchema>
export type ReportDay = z.infer<typeof ReportDaySchema>
export type ReportFeed = z.infer<typeof ReportFeedSchema>
