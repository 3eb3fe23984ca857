import * as z from 'zod/mini'
import { CountSchema, DateSchema, named, PercentSchema, TimestampSchema, UsdSchema } from '../primitives.ts'
import { CHANGE_KINDS } from './feeds.ts'
import { RISK_LEVELS, VERDICTS } from './verdict.ts'

/** What each day of the series tells. */
const dayShape = {
  date: DateSchema,
  asOf: TimestampSchema,
  hosts: CountSchema,
  tracked: CountSchema,
  live: CountSchema,
  dead: CountSchema,
  invalid: CountSchema,
  unmeasured: CountSchema,
  deadPct: PercentSchema,
  /** Of the live endpoints whose price is known in dollars. */
  medianPriceUsd: z.nullable(UsdSchema),
  riskByLevel: z.record(z.enum(RISK_LEVELS), CountSchema),
  byVerdict: z.record(z.enum(VERDICTS), CountSchema),
  flagCounts: z.record(z.string(), CountSchema),
  incidentsOpen: CountSchema,
  /** Detected in the 24 hours before `asOf`, whatever came of them. */
  incidentsNew: CountSchema,
  /** In the 24 hours before `asOf`. */
  changes: z.record(z.enum(CHANGE_KINDS), CountSchema),
  scoreVersion: z.string(),
}

export const ReportSchema = named(
  'Report',
  'The state of the ecosystem on one day, and how right the directories were about it.',
  z.object({
    ...dayShape,
    directories: z.array(
      z.object({
        directory: z.string(),
        listed: CountSchema,
        claimedHealthy: CountSchema,
        working: CountSchema,
        accuracyPct: z.nullable(PercentSchema),
      }),
    ),
    summary: z.string(),
  }),
)

export const ReportDaySchema = named('ReportDay', 'One day of the series of reports.', z.object(dayShape))

export const ReportFeedSchema = named(
  'ReportFeed',
  'The latest report and the series of daily ones, oldest first. Without a report yet, `latest` is null.',
  z.object({
    asOf: TimestampSchema,
    latest: z.nullable(ReportSchema),
    count: CountSchema,
    series: z.array(ReportDaySchema),
  }),
)

export type Report = z.infer<typeof ReportSchema>
export type ReportDay = z.infer<typeof ReportDaySchema>
export type ReportFeed = z.infer<typeof ReportFeedSchema>
