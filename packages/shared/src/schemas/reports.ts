import * as z from 'zod/mini'
import { CountSchema, DateSchema, named, TimestampSchema, UsdSchema } from '../primitives.ts'
import { VERDICTS } from '../verdictCodes.ts'
import { DirectoryAccuracySchema, ecosystemShape } from './ecosystem.ts'
import { CHANGE_KINDS } from './feeds.ts'

/** Fields of one day. */
const dayShape = {
  date: DateSchema,
  asOf: TimestampSchema,
  hosts: CountSchema,
  ...ecosystemShape,
  /** Median over live endpoints with a known dollar price. */
  medianPriceUsd: z.nullable(UsdSchema),
  /** Reports before score 1.1.0 count endpoints that were never measured as clean. */
  riskByLevel: z.object({
    clean: CountSchema,
    low: CountSchema,
    medium: CountSchema,
    high: CountSchema,
    unknown: z.optional(CountSchema),
  }),
  byVerdict: z.record(z.enum(VERDICTS), CountSchema),
  flagCounts: z.record(z.string(), CountSchema),
  incidentsOpen: CountSchema,
  /** Detected in the 24 hours before `asOf`, open or resolved. */
  incidentsNew: CountSchema,
  /** In the 24 hours before `asOf`. */
  changes: z.record(z.enum(CHANGE_KINDS), CountSchema),
  scoreVersion: z.string(),
}

export const ReportSchema = named(
  'Report',
  'The state of the ecosystem on one day, and the accuracy of the directories.',
  z.object({
    ...dayShape,
    directories: z.array(DirectoryAccuracySchema),
    summary: z.string(),
  }),
)

export const ReportDaySchema = named('ReportDay', 'One day of the report series.', z.object(dayShape))

export const ReportFeedSchema = named(
  'ReportFeed',
  'The latest report and the daily series, oldest first. `latest` is null before the first report.',
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
