import { isUnmeasured, type Observation, type Time } from '../domain/facts/facts.ts'
import type { EndpointState } from '../domain/facts/hostDocument.ts'
import { DAY, MINUTE } from '../domain/facts/times.ts'

/** The parts of a look that show whether probing works. */
export type WatchedLook = {
  readonly observations: readonly Observation[]
  readonly state: Pick<EndpointState, 'confirmedAt'>
}

/** Detects that probing as a whole fails, and slow probes. */
export type LookWatch = {
  add(look: WatchedLook, tookMs: number): void
  /** Time of the first of the failed looks; null while probing works. */
  failingSince(): Time | null
  /** Duration of the slowest look within the last five minutes, in ms; null without any. */
  slowestMs(): number | null
}

/** Minimum duration and number of consecutive failed looks. */
const FAILING_MS = 5 * MINUTE
const FAILING_LOOKS = 5
/** Age of the last confirmed status up to which a host counts as recently measurable. */
const MEASURABLE_MS = 2 * DAY
const SLOWEST_MINUTES = 5

/**
 * Creates the watch. Probing fails if every look of five minutes, and at least five, failed on our side. Hosts whose names
 * are gone fail in the same way, so one of the endpoints must have been measurable within two days, unless this process
 * has measured nothing at all.
 * @param onFailing called when probing begins to fail, and with null when it works again
 */
export function createLookWatch(
  clock: { now(): number },
  onFailing: (since: Time | null) => void = () => {},
): LookWatch {
  let hasMeasured = false
  let streak: { since: Time; looks: number; wasMeasurable: boolean } | null = null
  let failingSince: Time | null = null
  let slowest: { minute: number; ms: number }[] = []

  const recent = (now: number) =>
    slowest.filter(({ minute }) => minute > Math.floor(now / MINUTE) - SLOWEST_MINUTES)
  const noteDuration = (ms: number) => {
    const now = clock.now()
    slowest = recent(now)
    const minute = Math.floor(now / MINUTE)
    const known = slowest.find((entry) => entry.minute === minute)
    if (known === undefined) slowest.push({ minute, ms })
    else known.ms = Math.max(known.ms, ms)
  }
  const noteMeasured = () => {
    hasMeasured = true
    streak = null
    if (failingSince === null) return
    failingSince = null
    onFailing(null)
  }
  const noteFailed = (confirmedAt: Time | null) => {
    const now = clock.now()
    streak ??= { since: now, looks: 0, wasMeasurable: false }
    streak.looks++
    streak.wasMeasurable ||= confirmedAt !== null && now - confirmedAt < MEASURABLE_MS
    if (failingSince !== null || streak.looks < FAILING_LOOKS || now - streak.since < FAILING_MS) return
    if (hasMeasured && !streak.wasMeasurable) return
    failingSince = streak.since
    onFailing(failingSince)
  }

  return {
    add({ observations, state }, tookMs) {
      noteDuration(tookMs)
      // A host that opted out is not dialled.
      if (observations.every(({ purpose, cause }) => purpose === 'control' || cause === 'opted_out')) return
      if (isUnmeasured(observations)) noteFailed(state.confirmedAt)
      else noteMeasured()
    },
    failingSince: () => failingSince,
    slowestMs() {
      const durations = recent(clock.now()).map(({ ms }) => ms)
      return durations.length === 0 ? null : Math.max(...durations)
    },
  }
}
