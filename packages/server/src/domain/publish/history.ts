import type { Change, Incident, TrustHistory } from '@touchstone402/shared'
import { countOutcomes, latenciesOf, percentile } from '../facts/dailyMeasurements.ts'
import { hasTerms, type Observation, type RecordsOf, type Time } from '../facts/facts.ts'
import { groupBy } from '../facts/groupBy.ts'
import { DAY, toDate } from '../facts/times.ts'
import { splitEpochs } from '../judge/epochs.ts'
import { listPrices, listReceivers } from '../judge/periods.ts'
import { median, splitPrices } from '../judge/prices.ts'
import { settleRefusals } from '../judge/refusals.ts'
import { LIMITS } from '../judge/spec.ts'
import { measureUptime, uptimeSample } from '../judge/uptime.ts'

export type HistoryInput = {
  readonly endpoint: string
  readonly firstSeen: Time
  /** Probes of the endpoint, oldest first. */
  readonly observations: readonly Observation[]
  readonly recordsOf: RecordsOf
  readonly changes: readonly Change[]
  readonly incidents: readonly Incident[]
  readonly now: Time
}

/** Builds the track record of one endpoint. */
export function describeHistory(input: HistoryInput): TrustHistory {
  const { endpoint, now } = input
  const observations = settleRefusals(input.observations)
  const probes = observations.filter(hasTerms)
  const uptime = measureUptime(observations, now)
  return {
    endpoint,
    firstSeen: toDate(input.firstSeen),
    uptime: {
      pct: uptime.pct,
      probes: uptime.up + uptime.down,
      windowDays: LIMITS.uptimeWindowMs / DAY,
      lowerBound: uptime.lowerBound,
      upperBound: uptime.upperBound,
    },
    daily: countDays(observations),
    payToHistory: listReceivers(splitEpochs(probes).epochs, input.recordsOf),
    priceHistory: listPrices(splitPrices(probes)),
    changes: [...input.changes],
    incidents: [...input.incidents],
    trend: findTrend(observations, now),
  }
}

function countDays(observations: readonly Observation[]): TrustHistory['daily'] {
  return [...groupBy(observations, ({ at }) => toDate(at))].map(([date, group]) => {
    const latencies = latenciesOf(group)
    return {
      date,
      ...countOutcomes(group),
      latencyMsP50: latencies.length === 0 ? null : Math.round(median(latencies)),
      latencyMsP90: percentile(latencies, 0.9),
    }
  })
}

/** Compares the uptime of the last 7 days with the 7 days before. Needs 3 probes in both. */
function findTrend(observations: readonly Observation[], now: Time): TrustHistory['trend'] {
  const sample = uptimeSample(observations)
  const share = (from: Time, to: Time) => {
    const measured = sample.filter(({ at, outcome }) => at > from && at <= to && outcome !== 'not_measured')
    return measured.length < 3 ? null : countOutcomes(measured).up / measured.length
  }
  const recent = share(now - 7 * DAY, now)
  const before = share(now - 14 * DAY, now - 7 * DAY)
  if (recent === null || before === null)
    return { direction: 'stable', basis: 'too few probes to compare two weeks' }
  const points = Math.round(1000 * (recent - before)) / 10
  return {
    direction: points > 5 ? 'improving' : points < -5 ? 'degrading' : 'stable',
    basis: `uptime of the last 7 days compared with the 7 days before: ${points >= 0 ? '+' : ''}${points} percentage points`,
  }
}
