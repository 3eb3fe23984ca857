import type { Change, Incident, TrustHistory } from '@touchstone402/shared'
import type { Observation, ReceiverRecord, Time } from '../facts/facts.ts'
import { DAY, toDate } from '../facts/times.ts'
import { splitEpochs } from '../judge/epochs.ts'
import { listPrices, listReceivers } from '../judge/periods.ts'
import { median, splitPrices } from '../judge/prices.ts'
import { LIMITS } from '../judge/spec.ts'
import { measureUptime, uptimeSample } from '../judge/uptime.ts'

export type HistoryInput = {
  readonly endpoint: string
  readonly firstSeen: Time
  /** Looks at the endpoint, oldest first. */
  readonly observations: readonly Observation[]
  readonly recordsOf: (network: string, address: string) => readonly ReceiverRecord[]
  readonly changes: readonly Change[]
  readonly incidents: readonly Incident[]
  readonly now: Time
}

/** The track record of one endpoint. */
export function describeHistory(input: HistoryInput): TrustHistory {
  const { endpoint, observations, now } = input
  const looks = observations.filter(({ outcome, offers }) => outcome === 'up' && offers.length > 0)
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
    payToHistory: listReceivers(splitEpochs(looks).epochs, input.recordsOf),
    priceHistory: listPrices(splitPrices(looks)),
    changes: [...input.changes],
    incidents: [...input.incidents],
    trend: findTrend(observations, now),
  }
}

/** Probes of each day that has any, with the latency of the successful ones. */
export function countDays(observations: readonly Observation[]): TrustHistory['daily'] {
  const days = new Map<string, Observation[]>()
  for (const observation of observations) {
    const date = toDate(observation.at)
    days.set(date, [...(days.get(date) ?? []), observation])
  }
  return [...days].map(([date, all]) => {
    const count = (outcome: Observation['outcome']) =>
      all.filter((observation) => observation.outcome === outcome).length
    const latencies = all.flatMap(({ outcome, latencyMs }) =>
      outcome === 'up' && latencyMs !== null ? [latencyMs] : [],
    )
    return {
      date,
      up: count('up'),
      down: count('down'),
      notMeasured: count('not_measured'),
      latencyMsP50: latencies.length === 0 ? null : Math.round(median(latencies)),
      latencyMsP90: percentile(latencies, 0.9),
    }
  })
}

function percentile(values: readonly number[], fraction: number): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)] ?? null
}

/** Compares uptime of the last 7 days with that of the 7 days before, where both have 3 probes. */
function findTrend(observations: readonly Observation[], now: Time): TrustHistory['trend'] {
  const sample = uptimeSample(observations)
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
    basis: `uptime of the last 7 days against the 7 before: ${points >= 0 ? '+' : ''}${points} percentage points`,
  }
}
