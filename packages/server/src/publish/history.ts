import type { Change, Incident, TrustHistory } from '@touchstone402/shared'
import type { DailyMeasurements } from '../facts/dailyMeasurements.ts'
import type { RecordsOf, Time } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { DAY, toDate } from '../facts/times.ts'
import type { Epoch } from '../judge/epochs.ts'
import type { History } from '../judge/history.ts'
import { pricesOf, receiversOf } from '../judge/periods.ts'
import { LIMITS } from '../judge/spec.ts'
import { measureUptime, sampleUptime, type UptimeEntry } from '../judge/uptime.ts'

export type HistoryInput = {
  readonly state: Pick<EndpointState, 'endpoint' | 'firstSeen'>
  readonly darkSince: TrustHistory['darkSince']
  readonly past: History
  readonly epochs: readonly Epoch[]
  /** Days with probes, oldest first. */
  readonly days: readonly DailyMeasurements[]
  readonly recordsOf: RecordsOf
  readonly changes: readonly Change[]
  readonly incidents: readonly Incident[]
  readonly now: Time
}

/** Builds the track record of one endpoint. */
export function describeHistory(input: HistoryInput): TrustHistory {
  const { state, past: history, epochs, recordsOf, now } = input
  const { observations, probes, past } = history
  const sample = sampleUptime(observations)
  const uptime = measureUptime(sample, now)
  return {
    endpoint: state.endpoint,
    firstSeen: toDate(state.firstSeen),
    darkSince: input.darkSince,
    uptime: {
      pct: uptime.pct,
      probes: uptime.up + uptime.down,
      windowDays: LIMITS.uptimeWindowMs / DAY,
      lowerBound: uptime.lowerBound,
      upperBound: uptime.upperBound,
    },
    daily: input.days.map(({ endpoint: _, host: __, ...day }) => day),
    payToHistory: receiversOf(epochs, past, recordsOf),
    priceHistory: pricesOf(probes, past),
    changes: [...input.changes],
    incidents: [...input.incidents],
    trend: findTrend(sample.entries, now),
  }
}

/** Compares the uptime of the last 7 days with the 7 days before. Needs 3 probes in both. */
function findTrend(sample: readonly UptimeEntry[], now: Time): TrustHistory['trend'] {
  const share = (from: Time, to: Time) => {
    const measured = sample.filter(({ at, outcome }) => at > from && at <= to && outcome !== 'not_measured')
    return measured.length < 3
      ? null
      : measured.filter(({ outcome }) => outcome === 'up').length / measured.length
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
