import type { Change, Incident, TrustHistory } from '@touchstone402/shared'
import type { DailyMeasurements } from '../facts/dailyMeasurements.ts'
import type { Observation, RecordsOf, Time } from '../facts/facts.ts'
import type { Carried, EndpointState } from '../facts/hostDocument.ts'
import { DAY, toDate } from '../facts/times.ts'
import { recall } from '../judge/memory/carried.ts'
import { type DayMemory, sumDay } from '../judge/memory/dayMemory.ts'
import { type Memory, NO_MEMORY, remember } from '../judge/memory/memory.ts'
import type { UptimeEntry } from '../judge/memory/uptimeLog.ts'
import { listPrices, listReceivers } from '../judge/periods.ts'
import { LIMITS } from '../judge/spec.ts'
import { measureUptime, readSample } from '../judge/uptime.ts'

const ALL = { epochs: Number.POSITIVE_INFINITY, prices: Number.POSITIVE_INFINITY }

/**
 * Starts a past, which remembers all receivers and prices.
 * @param base what was carried before the first look; undefined if it is the endpoint's first
 */
export function startPast(base: Carried | undefined): Memory {
  return base === undefined ? NO_MEMORY : recall(base)
}

/** Adds a look; control probes are left out. */
export function addToPast(past: Memory, look: Observation): Memory {
  return look.purpose === 'control' ? past : remember(past, look, ALL).memory
}

export type HistoryInput = {
  readonly state: Pick<EndpointState, 'endpoint' | 'host' | 'firstSeen'>
  readonly darkSince: TrustHistory['darkSince']
  readonly past: Memory
  /** Days that have ended, oldest first. */
  readonly ended: readonly DailyMeasurements[]
  readonly recordsOf: RecordsOf
  readonly changes: readonly Change[]
  readonly incidents: readonly Incident[]
  readonly now: Time
}

/** Builds the track record of one endpoint, and lists its days with the one under way. */
export function describeHistory(input: HistoryInput): {
  readonly history: TrustHistory
  readonly days: readonly DailyMeasurements[]
} {
  const { state, past, ended, now } = input
  const { endpoint } = state
  const days = addToday(ended, past.day, state)
  const sample = readSample(past.uptime)
  const uptime = measureUptime(sample, now)
  const history: TrustHistory = {
    endpoint,
    firstSeen: toDate(state.firstSeen),
    darkSince: input.darkSince,
    uptime: {
      pct: uptime.pct,
      probes: uptime.up + uptime.down,
      windowDays: LIMITS.uptimeWindowMs / DAY,
      lowerBound: uptime.lowerBound,
      upperBound: uptime.upperBound,
    },
    daily: days.map(({ endpoint: _, host: __, ...day }) => day),
    payToHistory: listReceivers(past.epochs.epochs, input.recordsOf),
    priceHistory: listPrices(past.prices),
    changes: [...input.changes],
    incidents: [...input.incidents],
    trend: findTrend(sample.entries, now),
  }
  return { history, days }
}

function addToday(
  ended: readonly DailyMeasurements[],
  day: DayMemory | null,
  state: HistoryInput['state'],
): readonly DailyMeasurements[] {
  const { endpoint, host } = state
  return day === null
    ? ended
    : [...ended.filter(({ date }) => date !== day.date), sumDay(day, { endpoint, host })]
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
