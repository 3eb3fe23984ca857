import type { Context } from '../context.ts'
import type { CrawlProgress } from '../facts/crawlProgress.ts'
import { isUnmeasured, type Observation, type Time } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { DAY, MINUTE, toTimestamp } from '../facts/times.ts'

/** The parts of a probe that show whether probing works. */
export type WatchedProbe = {
  readonly observations: readonly Observation[]
  readonly state: Pick<EndpointState, 'confirmedAt'>
}

/** Detects that probing as a whole fails, and slow probes. */
export type ProbeWatch = {
  add(probe: WatchedProbe, tookMs: number): void
  read(): Pick<CrawlProgress, 'failingSince' | 'slowestProbeMs'>
}

/** Minimum duration and number of consecutive failed probes. */
const FAILING_MS = 5 * MINUTE
const FAILING_PROBES = 5
/** Age of the last confirmed status up to which a host counts as recently measurable. */
const MEASURABLE_MS = 2 * DAY
const SLOWEST_MINUTES = 5

/**
 * Creates the watch, which logs when probing begins to fail, and when it works again. Probing fails if every probe of five minutes, and at least five, failed on our side. Hosts whose names
 * are gone fail in the same way, so one of the endpoints must have been measurable within two days, unless this process
 * has measured nothing at all.
 */
export function createProbeWatch({ clock, log }: Pick<Context, 'clock' | 'log'>): ProbeWatch {
  let hasMeasured = false
  let streak: { since: Time; probes: number; wasMeasurable: boolean } | null = null
  let failingSince: Time | null = null
  /** Duration of the slowest probe of each recent minute. */
  const slowest = new Map<number, number>()

  const noteDuration = (ms: number) => {
    const minute = Math.floor(clock.now() / MINUTE)
    for (const past of slowest.keys()) if (past <= minute - SLOWEST_MINUTES) slowest.delete(past)
    slowest.set(minute, Math.max(ms, slowest.get(minute) ?? 0))
  }
  const noteMeasured = () => {
    hasMeasured = true
    streak = null
    if (failingSince === null) return
    failingSince = null
    log('info', 'probing recovered', { event: 'probing_works' })
  }
  const noteFailed = (confirmedAt: Time | null) => {
    const now = clock.now()
    streak ??= { since: now, probes: 0, wasMeasurable: false }
    streak.probes++
    streak.wasMeasurable ||= confirmedAt !== null && now - confirmedAt < MEASURABLE_MS
    if (failingSince !== null || streak.probes < FAILING_PROBES || now - streak.since < FAILING_MS) return
    if (hasMeasured && !streak.wasMeasurable) return
    failingSince = streak.since
    const since = toTimestamp(failingSince)
    const advice = `every probe since ${since} failed on our side; check the resolver and the network`
    log('warn', `crawl: ${advice}`, { event: 'probing_fails', since })
  }

  return {
    add({ observations, state }, tookMs) {
      noteDuration(tookMs)
      // A host that opted out is not dialled.
      if (observations.every(({ purpose, cause }) => purpose === 'control' || cause === 'opted_out')) return
      // One that returned terms shows that the network works, though its documents were not read.
      const isReached = observations.some(({ cause }) => cause === 'documents_unread')
      if (isUnmeasured(observations) && !isReached) noteFailed(state.confirmedAt)
      else noteMeasured()
    },
    read() {
      const first = Math.floor(clock.now() / MINUTE) - SLOWEST_MINUTES + 1
      const durations = [...slowest].flatMap(([minute, ms]) => (minute >= first ? [ms] : []))
      return { failingSince, slowestProbeMs: durations.length === 0 ? null : Math.max(...durations) }
    },
  }
}
