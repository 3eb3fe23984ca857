import type { Report } from '@touchstone402/shared'

/** A report with its neighbours. */
export type FoundReport = {
  readonly report: Report
  readonly before: Report | undefined
  readonly after: Report | undefined
  /** The reports up to this one, oldest first. */
  readonly series: readonly Report[]
}

/** Finds the report of a day among those of all days, oldest first. @param date @default the latest */
export function findReport(reports: readonly Report[], date = reports.at(-1)?.date): FoundReport | undefined {
  const at = reports.findLastIndex((report) => report.date === date)
  const report = reports[at]
  return (
    report && { report, before: reports[at - 1], after: reports[at + 1], series: reports.slice(0, at + 1) }
  )
}
