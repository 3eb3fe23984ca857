import { ACCURACY_PERIODS, type AccuracyDay, type AccuracyFigures } from '@touchstone402/shared'
import { describeAccuracy } from './figures.ts'

/** Returns the figures of each period from what reports counted. */
export function describeReported(days: readonly AccuracyDay[]): AccuracyFigures[] {
  return ACCURACY_PERIODS.map((afterDays) =>
    describeAccuracy(
      afterDays,
      days.flatMap(({ outcomes }) => outcomes.filter((one) => one.afterDays === afterDays)),
      days.flatMap(({ deliveries }) => deliveries.filter((one) => one.afterDays === afterDays)),
    ),
  )
}
