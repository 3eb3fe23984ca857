import * as z from 'zod/mini'
import { about, CountSchema, DateSchema, named, TimestampSchema, UsdSchema } from '../primitives.ts'
import { COMMON } from './common.ts'
import { DirectoryAccuracySchema, ecosystemShape } from './ecosystem.ts'

/** Fields of one day. */
const dayShape = {
  date: about('Day of the report, UTC.', DateSchema),
  asOf: about(COMMON.asOf, TimestampSchema),
  hosts: about('Hosts known.', CountSchema),
  ...ecosystemShape,
  medianPriceUsd: about(
    'Median price in dollars over live endpoints with a known one; null without any.',
    z.nullable(UsdSchema),
  ),
  riskByLevel: about(
    'Endpoints by risk level; before score 1.1.0, endpoints that were never measured count as clean.',
    z.object({
      clean: about('Endpoints without a finding.', CountSchema),
      low: about('Endpoints whose worst finding is low.', CountSchema),
      medium: about('Endpoints whose worst finding is medium.', CountSchema),
      high: about('Endpoints whose worst finding is high.', CountSchema),
      unknown: about(
        'Endpoints that were never measured; absent before score 1.1.0.',
        z.optional(CountSchema),
      ),
    }),
  ),
  byVerdict: about(
    'Endpoints by verdict.',
    z.object({
      safe: about('Endpoints that are safe to pay.', CountSchema),
      caution: about('Endpoints to be paid with caution.', CountSchema),
      avoid: about('Endpoints to avoid.', CountSchema),
      unknown: about('Endpoints without a verdict.', CountSchema),
    }),
  ),
  flagCounts: about('Endpoints by flag.', z.record(z.string(), CountSchema)),
  incidentsOpen: about('Open incidents.', CountSchema),
  incidentsNew: about('Incidents detected in the 24 hours before, open or resolved.', CountSchema),
  changes: about(
    'Changes of the 24 hours before, by kind.',
    z.object({
      service_gone_dark: about('Services gone dark.', CountSchema),
      payto_swap: about('Receivers changed.', CountSchema),
      price_jump: about('Price jumps.', CountSchema),
      new_service: about('New services.', CountSchema),
      service_recovered: about('Services that work again.', CountSchema),
    }),
  ),
  scoreVersion: about(COMMON.scoreVersion, z.string()),
}

export const ReportSchema = named(
  'Report',
  'The state of the ecosystem on one day, and the accuracy of the directories.',
  z.object({
    ...dayShape,
    directories: about(
      'Directories, and how many of the endpoints that each lists work.',
      z.array(DirectoryAccuracySchema),
    ),
    summary: about('The state of the day, in sentences.', z.string()),
  }),
)

export const ReportDaySchema = named('ReportDay', 'One day of the report series.', z.object(dayShape))

export const ReportFeedSchema = named(
  'ReportFeed',
  'The latest report and the daily series, oldest first. `latest` is null before the first report.',
  z.object({
    asOf: about(COMMON.asOf, TimestampSchema),
    latest: about('The latest report; null before the first one.', z.nullable(ReportSchema)),
    count: about('Number of days in the series.', CountSchema),
    series: about('One record for each day, oldest first.', z.array(ReportDaySchema)),
  }),
)

export type Report = z.infer<typeof ReportSchema>
export type ReportDay = z.infer<typeof ReportDaySchema>
export type ReportFeed = z.infer<typeof ReportFeedSchema>
