import { type Observation, OWN_FAULTS, type Time } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { hasOpenDifference } from './clients.ts'
import type { StatusTrack } from './status.ts'

/** How soon what is looked at again, in milliseconds. */
export const INTERVALS = {
  difference: 2 * MINUTE,
  /** Five looks fit into the half-hour that convicts: a chance run of failures of that length is rare. */
  confirm: 8 * MINUTE,
  /** While a fifth of a day's looks fail and none of the failures lasts: only many looks can tell how bad it is. */
  flapping: 5 * MINUTE,
  /** After a fault that did not last. */
  faulty: HOUR / 2,
  changed: HOUR,
  fresh: 2 * HOUR,
  steady: 3 * HOUR,
  ownFault: HOUR,
  refusedFirst: HOUR,
  refusedMost: 12 * HOUR,
  darkFirst: HOUR,
  darkMost: DAY,
} as const

/** A difference between identities is followed for this many looks in an hour at the most. */
const DIFFERENCE_LOOKS = 40

/** An endpoint is flapping where at least one of so many looks fails. */
const FLAPPING_SHARE = 5

/** What the next look depends on. */
export type ScheduleInput = {
  readonly observations: readonly Observation[]
  readonly track: StatusTrack
  readonly firstSeen: Time
  /** When the receiver, the price or the status last changed. */
  readonly lastChangeAt: Time | null
  /** Whether what identities see is already explained: cloaked. */
  readonly differenceExplained: boolean
  /** Whether another receiver was seen and awaits its confirmation. */
  readonly isSwapPending: boolean
  /** Whether it is already known to fail often. */
  readonly isFlaky: boolean
  readonly now: Time
  /** 0 to 1, for jitter. */
  readonly random: number
}

/**
 * When to look next. Live endpoints at least once in 24 h, fresh and recently changed ones more often, doubts soon,
 * the dead and those that refuse us ever more rarely. Jitter adds up to a tenth.
 */
export function nextProbeAt(input: ScheduleInput): Time {
  return input.now + Math.round(interval(input) * (1 + 0.1 * input.random))
}

function interval(input: ScheduleInput): number {
  const { observations, track, firstSeen, lastChangeAt, now } = input
  const last = observations.at(-1)
  if (last === undefined) return 0
  if (last.outcome === 'not_measured') return refusedInterval(observations, last)
  if (track.degraded) return INTERVALS.confirm
  const ups = observations.filter(({ outcome }) => outcome === 'up')
  if (!input.differenceExplained && (input.isSwapPending || hasOpenDifference(ups, now))) {
    const recent = ups.filter(({ at }) => at > now - HOUR).length
    return recent <= DIFFERENCE_LOOKS ? INTERVALS.difference : INTERVALS.fresh
  }
  if (track.status !== 'live') return backOff(INTERVALS.darkFirst, INTERVALS.darkMost, track.downs - 3)
  const today = observations.filter(
    ({ at, outcome, purpose }) => purpose === 'scheduled' && outcome !== 'not_measured' && at > now - DAY,
  )
  const faults = today.filter(({ outcome }) => outcome === 'down').length
  const isFlapping = faults > 1 && faults >= today.length / FLAPPING_SHARE
  if (isFlapping && !input.isFlaky) return INTERVALS.flapping
  if (faults > 0 && !isFlapping) return INTERVALS.faulty
  if (isFlapping || (lastChangeAt !== null && now - lastChangeAt < DAY)) return INTERVALS.changed
  return now - firstSeen < 2 * DAY || ups.length < 3 ? INTERVALS.fresh : INTERVALS.steady
}

/** Asking again and again what refuses to answer is no use and no courtesy. */
function refusedInterval(observations: readonly Observation[], last: Observation): number {
  if (OWN_FAULTS.has(last.cause)) return INTERVALS.ownFault
  const answered = observations.findLastIndex(({ outcome }) => outcome !== 'not_measured')
  return backOff(INTERVALS.refusedFirst, INTERVALS.refusedMost, observations.length - 2 - answered)
}

const backOff = (first: number, most: number, times: number) =>
  Math.min(most, first * 2 ** Math.min(10, Math.max(0, times)))
