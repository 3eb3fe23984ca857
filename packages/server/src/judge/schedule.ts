import { isOwnFault, type Observation, type Time } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import type { StatusTrack } from './status.ts'

/** Time to the next probe by situation, in milliseconds. */
export const INTERVALS = {
  difference: 2 * MINUTE,
  /** Several probes fit into the 30 minutes before `dark`, so a chance run of failures is rare. */
  confirm: 8 * MINUTE,
  /** While a fifth of a day's probes fail, until `flaky` is raised. */
  flapping: 5 * MINUTE,
  /** After a transient fault. */
  faulty: HOUR / 2,
  changed: HOUR,
  fresh: 2 * HOUR,
  steady: 3 * HOUR,
  ownFault: HOUR,
  refusedFirst: HOUR,
  refusedMost: 12 * HOUR,
  /** With the confirming probe, a recovery is seen within two hours. */
  darkFirst: 1.5 * HOUR,
  darkMost: DAY,
} as const

/** An endpoint that was live is probed about as often as this in the time that it has been dark so far. */
const DARK_SHARE = 24
/** Maximum share of an interval that is added at random. */
const JITTER = 0.1
/** Maximum number of probes per hour that follow a difference between clients. */
const DIFFERENCE_PROBES = 40
/** An endpoint is flapping if at least one in this many probes fails. */
const FLAPPING_SHARE = 5

/** Returns the longest time to the next probe of an endpoint that does not refuse, by the time that it has been dark. */
export function longestIntervalMs(darkMs: number): number {
  const share = Math.max(INTERVALS.steady, darkMs / DARK_SHARE)
  return (1 + JITTER) * Math.min(INTERVALS.darkMost, share)
}

/** Inputs of the schedule. */
export type ScheduleInput = {
  /** Probes, oldest first, refusals settled. */
  readonly observations: readonly Observation[]
  readonly track: StatusTrack
  readonly now: Time
  /** 0 to 1, for the jitter. */
  readonly random: number
  readonly firstSeen: Time
  /** When the receiver, the price or the status last changed. */
  readonly lastChangeAt: Time | null
  /** Whether clients differ without an explanation yet, or another receiver is not confirmed yet. */
  readonly isDifferent: boolean
  /** Whether `flaky` is raised. */
  readonly isFlaky: boolean
}

/**
 * Returns when to probe next: live endpoints at least daily, new and changed ones more often, doubts within minutes,
 * dark and refusing ones with back-off. Jitter adds up to a tenth.
 */
export function nextProbeAt(input: ScheduleInput): Time {
  return input.now + Math.round(interval(input) * (1 + JITTER * input.random))
}

function interval(input: ScheduleInput): number {
  const { observations, track, firstSeen, lastChangeAt, now } = input
  const last = observations.at(-1)
  if (last === undefined) return 0
  if (last.outcome === 'not_measured') return refusedInterval(observations, last)
  if (track.degraded) return INTERVALS.confirm
  if (input.isDifferent) {
    const recent = observations.filter(({ at, outcome }) => outcome === 'up' && at > now - HOUR).length
    return recent <= DIFFERENCE_PROBES ? INTERVALS.difference : INTERVALS.fresh
  }
  if (track.status !== 'live') return darkInterval(input)
  const today = observations.filter(
    ({ at, outcome, purpose }) => purpose === 'scheduled' && outcome !== 'not_measured' && at > now - DAY,
  )
  const faults = today.filter(({ outcome }) => outcome === 'down').length
  const isFlapping = faults > 1 && faults >= today.length / FLAPPING_SHARE
  if (isFlapping && !input.isFlaky) return INTERVALS.flapping
  if (faults > 0 && !isFlapping) return INTERVALS.faulty
  if (isFlapping || (lastChangeAt !== null && now - lastChangeAt < DAY)) return INTERVALS.changed
  const isNew = now - firstSeen < 2 * DAY || observations.filter(({ outcome }) => outcome === 'up').length < 3
  return isNew ? INTERVALS.fresh : INTERVALS.steady
}

/** A recovery must be seen soon, so an endpoint that was live is probed at a share of the time that it has been dark. */
function darkInterval({ observations, track, now }: ScheduleInput): number {
  const lastUp = observations.findLastIndex(({ outcome }) => outcome === 'up')
  if (lastUp < 0) return backOff(INTERVALS.darkFirst, INTERVALS.darkMost, track.downs - 3)
  const darkMs = now - (observations[lastUp + 1]?.at ?? now)
  return Math.min(INTERVALS.darkMost, Math.max(INTERVALS.darkFirst, darkMs / DARK_SHARE))
}

function refusedInterval(observations: readonly Observation[], last: Observation): number {
  if (isOwnFault(last)) return INTERVALS.ownFault
  const answered = observations.findLastIndex(({ outcome }) => outcome !== 'not_measured')
  return backOff(INTERVALS.refusedFirst, INTERVALS.refusedMost, observations.length - 2 - answered)
}

const backOff = (first: number, most: number, times: number) =>
  Math.min(most, first * 2 ** Math.min(10, Math.max(0, times)))
