import { isOwnFault, type Observation, type Time } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { LIMITS } from './spec.ts'
import type { StatusTrack } from './status.ts'

/** Mean time to the next probe by situation, in milliseconds. */
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
  /** Documents that were not read are read again after this time. */
  unreadFirst: HOUR / 4,
  refusedFirst: HOUR,
  refusedMost: 12 * HOUR,
  /** With the confirming probe, a recovery is seen within two hours. */
  darkFirst: 1.5 * HOUR,
  darkMost: DAY,
} as const

/** An endpoint that was live is probed about as often as this in the time that it has been dark so far. */
const DARK_SHARE = 24
/** Maximum share of a short gap that is added at random. */
const JITTER = 0.1
/** Shortest drawn gap. */
const DRAWN_LEAST_MS = 5_000
/** Longest drawn gap: an hour is left to probe again before a verdict expires. */
export const DRAWN_MOST_MS = LIMITS.verdictLifetimeMs - HOUR
/** Maximum number of probes per hour that follow a difference between clients. */
const DIFFERENCE_PROBES = 40
/** An endpoint is flapping if at least one in this many probes fails. */
const FLAPPING_SHARE = 5

/**
 * Returns the longest time that the crawl watched an endpoint between two probes without a recorded gap, by the time that
 * it had been dark: these were made before gaps were drawn.
 */
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
  /** From 0 to below 1, for the draw. */
  readonly random: number
  readonly firstSeen: Time
  /** When the receiver, the price or the status last changed, or another receiver was last seen. */
  readonly lastChangeAt: Time | null
  /** Whether clients differ without an explanation yet, or another receiver is not confirmed yet. */
  readonly isDifferent: boolean
  /** Whether `flaky` is raised. */
  readonly isFlaky: boolean
}

/**
 * Returns when to probe next: live endpoints several times a day, new and changed ones more often, doubts within minutes,
 * dark and refusing ones with back-off.
 *
 * Scheduled gaps are drawn from an exponential distribution, so the time since the last probe tells a seller nothing about
 * the next one. Doubts have short gaps of their own, with some jitter.
 */
export function nextProbeAt(input: ScheduleInput): Time {
  return input.now + Math.round(gapMs(input))
}

function gapMs(input: ScheduleInput): number {
  const { track, random } = input
  const last = input.observations.at(-1)
  if (last === undefined) return 0
  if (last.outcome === 'not_measured') return refusedGap(input, last)
  if (track.degraded) return INTERVALS.confirm * (1 + JITTER * random)
  if (input.isDifferent) return differenceGap(input)
  if (track.status !== 'live') return drawBelow(darkInterval(input), random)
  return drawGap(liveInterval(input), random)
}

/** Draws a gap that is never much longer than its interval, so that a recovery, or the next refusal, is seen soon. */
const drawBelow = (interval: number, random: number) => drawGap(interval, random, (1 + JITTER) * interval)

/** Draws a gap from the exponential distribution around a mean. @param random from 0 to below 1 */
export function drawGap(meanMs: number, random: number, mostMs: number = DRAWN_MOST_MS): number {
  const drawn = -meanMs * Math.log(1 - random)
  return Math.max(DRAWN_LEAST_MS, Math.min(mostMs, DRAWN_MOST_MS, drawn))
}

function differenceGap({ observations, now, random }: ScheduleInput): number {
  const recent = observations.filter(({ at, outcome }) => outcome === 'up' && at > now - HOUR).length
  if (recent > DIFFERENCE_PROBES) return drawGap(INTERVALS.fresh, random)
  return INTERVALS.difference * (1 + JITTER * random)
}

function liveInterval(input: ScheduleInput): number {
  const { observations, firstSeen, lastChangeAt, now } = input
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

function refusedGap({ observations, now, random }: ScheduleInput, last: Observation): number {
  const gap = drawBelow(refusedInterval(observations, last), random)
  const worked = observations.findLast(({ outcome }) => outcome === 'up')
  if (last.cause !== 'input_needed' || worked === undefined) return gap
  // A refused input is sent again as soon as it counts as a failure.
  const left = worked.at + LIMITS.inputSettledMs - now
  return left > 0 ? Math.min(gap, left + DRAWN_LEAST_MS) : gap
}

function refusedInterval(observations: readonly Observation[], last: Observation): number {
  if (isOwnFault(last)) return INTERVALS.ownFault
  const answered = observations.findLastIndex(({ outcome }) => outcome !== 'not_measured')
  const first = last.cause === 'documents_unread' ? INTERVALS.unreadFirst : INTERVALS.refusedFirst
  return backOff(first, INTERVALS.refusedMost, observations.length - 2 - answered)
}

const backOff = (first: number, most: number, times: number) =>
  Math.min(most, first * 2 ** Math.min(10, Math.max(0, times)))
