import type { Report } from '@touchstone402/shared'
import { DAY, toDate } from '../../facts/times.ts'
import { ProblemError } from '../../lib/problemError.ts'
import { readLatestReport, readReports } from '../../store/facts.ts'
import type { PageDeps } from '../pageDeps.ts'

/** Days that the plots of a report show. */
const SHOWN_DAYS = 90

/** Reports of the days that plots show, oldest first; the last one is the report that is asked for. */
export type ReportView = { readonly reports: readonly Report[]; readonly report: Report }

/** Reads the report of a date with the days before it. @throws ProblemError 404 `no_such_report` */
export async function loadReport({ store }: Pick<PageDeps, 'store'>, date = ''): Promise<ReportView> {
  const at = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN
  const reports = Number.isNaN(at) ? [] : await readReports(store, toDate(at - (SHOWN_DAYS - 1) * DAY), date)
  const report = reports.at(-1)
  if (report?.date !== date) throw new ProblemError(404, 'no_such_report', 'There is no report of this date.')
  return { reports, report }
}

/** Reads the latest report; undefined before the first. */
export async function loadLatest(deps: Pick<PageDeps, 'store'>): Promise<ReportView | undefined> {
  const latest = await readLatestReport(deps.store)
  return latest && loadReport(deps, latest.date)
}
