import { isOwnFault, type Observation } from '../../facts/facts.ts'
import { DAY, HOUR } from '../../facts/times.ts'
import { INTERVALS, JITTER } from '../memory/intervals.ts'
import type { ScheduleInput } from '../schedule.ts'
import { hasOpenDifference } from './plainClients.ts'

const DIFFERENCE_LOOKS = 40
const FLAPPING_SHARE = 5
const DARK_SHARE = 24

/** Inputs of the schedule, with all probes of the endpoint. */
export type PlainSchedule = Omit<ScheduleInput, 'looks' | 'clients' | 'sample'> & {
  readonly observations: readonly Observation[]
}

/** Returns when to probe next. */
export function plainNextProbeAt(input: PlainSchedule): number {
  return input.now + Math.round(interval(input) * (1 + JITTER * input.random))
}

function interval(input: PlainSchedule): number {
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
  if (track.status !== 'live') return darkInterval(input)
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

/** A recovery must be seen soon, so an endpoint that was live is probed at a share of the time that it has been dark. */
function darkInterval({ observations, track, now }: PlainSchedule): number {
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
