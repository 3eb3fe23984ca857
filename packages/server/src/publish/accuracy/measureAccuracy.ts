import type { AccuracyFigures, AccuracyPeriod, Band, VerdictCode } from '@touchstone402/shared'
import type { Time } from '../../facts/facts.ts'
import { groupBy } from '../../facts/groupBy.ts'
import { toDate } from '../../facts/times.ts'
import { describeAccuracy } from './figures.ts'
import { countDeliveries, createOutcomeCount } from './samples.ts'

/** A verdict that stood at a time, and what a period after it showed. */
export type AccuracySample = {
  readonly at: Time
  /** Canonical URL. */
  readonly endpoint: string
  readonly verdict: VerdictCode
  readonly band: Band | null
  /** Null if nothing was measured within the period. */
  readonly live: boolean | null
  /** Null if there was nothing to compare. */
  readonly sameTerms: boolean | null
  /** Null if nothing was bought, or that is not known yet. */
  readonly delivered: boolean | null
  /** Whether the verdict was Avoid at the end of the period. */
  readonly avoidAfter: boolean
}

/** Returns the published figures of samples of one period. Of an endpoint the first sample of a day counts. */
export function measureAccuracy(
  samples: readonly AccuracySample[],
  afterDays: AccuracyPeriod,
): AccuracyFigures {
  const days = [...groupBy(samples, ({ at }) => toDate(at))]
  const outcomes = days.map(([date, own]) => {
    const count = createOutcomeCount()
    for (const sample of own) count.add(sample)
    return { date, groups: count.counts() }
  })
  const deliveries = days.map(([date, own]) => ({ date, groups: countDeliveries(firstOfEach(own)) }))
  return describeAccuracy(afterDays, outcomes, deliveries)
}

/** Returns the first sample of each endpoint. */
function firstOfEach(samples: readonly AccuracySample[]): Iterable<AccuracySample> {
  const first = new Map<string, AccuracySample>()
  for (const sample of samples) if (!first.has(sample.endpoint)) first.set(sample.endpoint, sample)
  return first.values()
}
