import type { Observation } from '../../facts/facts.ts'
import { DAY, HOUR } from '../../facts/times.ts'
import { B, judge, T0, up } from './facts.ts'

/** A moment of a seller that steals at moments of its choice and sees each probe. */
export type Moment = {
  readonly now: number
  /** Time since the last probe, ms. */
  readonly sinceMs: number
}

/** A way to choose the moments, and the share of the time that it leaves honest. */
export type Waiting = (moment: Moment) => boolean

/** Time for which every seller is honest first, ms. */
const HONEST_MS = 4 * DAY
/** The schedule before gaps were drawn. */
const FIXED_MS = 3 * HOUR
const FIXED_JITTER = 0.1
const CLIENTS = ['0', '1', '2']

/** A seller whose theft is followed. */
export type WaitingSeller = {
  /** Whether the seller names its own receiver, not the thief's. */
  readonly isHonest: Waiting
  /** 0 to below 1. */
  readonly random: () => number
  /** Whether gaps are drawn, or fixed with jitter as before 1.3.0. @default drawn */
  readonly schedule?: 'drawn' | 'fixed'
  /** Hours after which it counts as never caught. */
  readonly mostHours: number
}

/**
 * Probes a seller by the schedule, and returns the hours from the begin of its thefts to the first verdict that is not
 * Safe; null if there is none in time.
 */
export function hoursUntilCaught({ isHonest, random, schedule, mostHours }: WaitingSeller): number | null {
  const probes: Observation[] = []
  const from = T0 + HONEST_MS
  let at = T0
  while (at - from <= mostHours * HOUR) {
    const sinceMs = at - (probes.at(-1)?.at ?? at)
    const isOwn = at < from || isHonest({ now: at - from, sinceMs })
    const client = CLIENTS[Math.floor(random() * CLIENTS.length)] ?? ''
    probes.push(up(at, isOwn ? { client } : { client, payTo: B }))
    const { state } = judge(probes, { now: at, random: random() })
    if (at >= from && state.verdict !== 'safe') return (at - from) / HOUR
    at = schedule === 'fixed' ? at + FIXED_MS * (1 + FIXED_JITTER * random()) : state.nextProbeAt
  }
  return null
}

/** Honest only from 3.0 to 3.3 hours after a probe, when the next one was due before gaps were drawn. */
export const honestWhenDue: Waiting = ({ sinceMs }) =>
  sinceMs >= FIXED_MS && sinceMs <= (1 + FIXED_JITTER) * FIXED_MS

/** Steals from each probe on, for as long as leaves it honest for a share of the time between two drawn probes. */
export function stealAfterProbes(share: number): Waiting {
  const stealsForMs = -FIXED_MS * Math.log(share)
  return ({ sinceMs }) => sinceMs >= stealsForMs
}

/** Steals once a day, at the same hour. */
export function stealDaily(share: number): Waiting {
  return ({ now }) => now % DAY >= (1 - share) * DAY
}
