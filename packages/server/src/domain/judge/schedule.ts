import type { Time } from '../facts/facts.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { type ClientTerms, hasOpenDifference } from './memory/clients.ts'
import { DARK_SHARE, INTERVALS, JITTER } from './memory/intervals.ts'
import type { LookMemory } from './memory/lookMemory.ts'
import type { StatusTrack } from './memory/status.ts'
import type { UptimeSample } from './uptime.ts'

export { INTERVALS } from './memory/intervals.ts'

/** Maximum number of probes per hour that follow a difference between clients. */
const DIFFERENCE_LOOKS = 40

/** An endpoint is flapping if at least one in this many probes fails. */
const FLAPPING_SHARE = 5

/** Inputs of the schedule. */
export type ScheduleInput = {
  readonly looks: LookMemory
  readonly clients: ClientTerms
  readonly sample: UptimeSample
  readonly track: StatusTrack
  readonly now: Time
  /** 0 to 1, for the jitter. */
  readonly random: number
  readonly firstSeen: Time
  /** When the receiver, the price or the status last changed. */
  readonly lastChangeAt: Time | null
  /** Whether `cloaked` already explains differences between clients. */
  readonly differenceExplained: boolean
  /** Whether another receiver was seen that is not confirmed yet. */
  readonly isSwapPending: boolean
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
  const { looks, clients, sample, track, firstSeen, lastChangeAt, now } = input
  const { last } = looks
  if (last === null) return 0
  if (last.outcome === 'not_measured')
    return last.isOwnFault
      ? INTERVALS.ownFault
      : backOff(INTERVALS.refusedFirst, INTERVALS.refusedMost, looks.unanswered - 1)
  if (track.degraded) return INTERVALS.confirm
  if (!input.differenceExplained && (input.isSwapPending || hasOpenDifference(clients, now))) {
    const recent = looks.recentUps.filter((at) => at > now - HOUR).length
    return recent <= DIFFERENCE_LOOKS ? INTERVALS.difference : INTERVALS.fresh
  }
  if (track.status !== 'live') return darkInterval(input)
  const today = sample.entries.filter(
    ({ at, outcome, isScheduled }) => isScheduled && outcome !== 'not_measured' && at > now - DAY,
  )
  const faults = today.filter(({ outcome }) => outcome === 'down').length
  const isFlapping = faults > 1 && faults >= today.length / FLAPPING_SHARE
  if (isFlapping && !input.isFlaky) return INTERVALS.flapping
  if (faults > 0 && !isFlapping) return INTERVALS.faulty
  if (isFlapping || (lastChangeAt !== null && now - lastChangeAt < DAY)) return INTERVALS.changed
  return now - firstSeen < 2 * DAY || looks.ups < 3 ? INTERVALS.fresh : INTERVALS.steady
}

/** A recovery must be seen soon, so an endpoint that was live is probed at a share of the time that it has been dark. */
function darkInterval({ looks, track, now }: ScheduleInput): number {
  if (looks.ups === 0) return backOff(INTERVALS.darkFirst, INTERVALS.darkMost, track.downs - 3)
  const darkMs = now - (looks.sinceUp ?? now)
  return Math.min(INTERVALS.darkMost, Math.max(INTERVALS.darkFirst, darkMs / DARK_SHARE))
}

const backOff = (first: number, most: number, times: number) =>
  Math.min(most, first * 2 ** Math.min(10, Math.max(0, times)))
