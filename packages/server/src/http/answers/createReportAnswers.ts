import type { Report, ReportDay } from '@touchstone402/shared'
import { toTimestamp } from '../../domain/facts/times.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { Answers } from '../deps.ts'

export type ReportAnswerDeps = { readonly store: Pick<Store, 'reports'>; readonly clock: Clock }

/** Makes what answers `/reports.json`. */
export function createReportAnswers({ store, clock }: ReportAnswerDeps): Pick<Answers, 'reports'> {
  return {
    reports: async () => {
      const reports = await store.reports()
      const latest = reports.at(-1) ?? null
      return {
        body: {
          asOf: latest?.asOf ?? toTimestamp(clock.now()),
          latest,
          count: reports.length,
          series: reports.map(toDay),
        },
        isCurrent: () => true,
      }
    },
  }
}

function toDay({ directories: _directories, summary: _summary, ...day }: Report): ReportDay {
  return day
}
