import type { Change, Incident, TrustHistory } from '@touchstone402/shared'
import { type DailyMeasurements, percentile } from '../facts/dailyMeasurements.ts'
import type { Observation, RecordsOf, Time } from '../facts/facts.ts'
import type { Carried, EndpointState } from '../facts/hostDocument.ts'
import { DAY, toDate } from '../facts/times.ts'
import { recall } from '../judge/memory/carried.ts'
import { type DayMemory, sumDay } from '../judge/memory/dayMemory.ts'
import { type Memory, NO_MEMORY, remember } from '../judge/memory/memory.ts'
import { median } from '../judge/memory/prices.ts'
import type { UptimeEntry } from '../judge/memory/uptimeLog.ts'
import { listPrices, listReceivers } from '../judge/periods.ts'
import { LIMITS } from '../judge/spec.ts'
import { measureUptime, readSample } from '../judge/uptime.ts'

/** A day of a track record. */
type Day = TrustHistory['daily'][number]

/** The past of an endpoint, with all receivers and prices, made by one look after the other. */
export type Past = {
  readonly memory: Memory
  /** Days of the looks that were added, the last one under way. */
  readonly daily: readonly Day[]
  /** Latencies of the day under way. */
  readonly latencies: readonly number[]
}

const ALL = { epochs: Number.POSITIVE_INFINITY, prices: Number.POSITIVE_INFINITY }

/** Starts a past. @param base what was carried before the first look; undefined if it is the endpoint's first */
export function startPast(base: Carried | undefined): Past {
  return { memory: base === undefined ? NO_MEMORY : recall(base), daily: [], latencies: [] }
}

/** Adds a look; control probes are left out. */
export function addToPast(past: Past, look: Observation): Past {
  if (look.purpose === 'control') return past
  const { memory, settled } = remember(past.memory, look, ALL)
  const date = toDate(settled.at)
  const last = past.daily.at(-1)
  const isSame = last?.date === date
  const { outcome, latencyMs } = settled
  const before = isSame ? past.latencies : []
  const latencies = outcome === 'up' && latencyMs !== null ? [...before, latencyMs] : before
  const start = isSame ? last : { up: 0, down: 0, notMeasured: 0 }
  const sorted = latencies.toSorted((a, b) => a - b)
  const day = {
    date,
    up: start.up + (outcome === 'up' ? 1 : 0),
    down: start.down + (outcome === 'down' ? 1 : 0),
    notMeasured: start.notMeasured + (outcome === 'not_measured' ? 1 : 0),
    latencyMsP50: sorted.length === 0 ? null : Math.round(median(sorted)),
    latencyMsP90: percentile(sorted, 0.9),
  }
  return { memory, latencies, daily: [...(isSame ? past.daily.slice(0, -1) : past.daily), day] }
}

export type HistoryInput = {
  readonly state: Pick<EndpointState, 'endpoint' | 'host' | 'firstSeen'>
  readonly darkSince: TrustHistory['darkSince']
  readonly past: Past
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
  const { memory } = past
  const sample = readSample(memory.uptime)
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
    daily: joinDays(ended, past.daily),
    payToHistory: listReceivers(memory.epochs.epochs, input.recordsOf),
    priceHistory: listPrices(memory.prices),
    changes: [...input.changes],
    incidents: [...input.incidents],
    trend: findTrend(sample.entries, now),
  }
  return { history, days: addToday(ended, memory.day, state) }
}

/** Takes the days of which all looks were read from them, and those before from what was kept of them. */
function joinDays(ended: readonly DailyMeasurements[], daily: readonly Day[]): Day[] {
  const [first] = daily
  const before = ended.filter(({ date }) => first === undefined || date <= first.date)
  const kept = before.map(({ endpoint: _, host: __, ...day }): Day => day)
  const partial = kept.find(({ date }) => date === first?.date)
  const isWhole = partial === undefined || first === undefined || countOf(first) >= countOf(partial)
  return [...kept.filter((day) => day !== partial || !isWhole), ...daily.slice(isWhole ? 0 : 1)]
}

const countOf = ({ up, down, notMeasured }: Day) => up + down + notMeasured

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
