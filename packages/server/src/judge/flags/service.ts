import type { Flag } from '@touchstone402/shared'
import { LIMITS } from '../spec.ts'
import { isFlaky } from '../uptime.ts'
import type { FlagRule } from './flagRule.ts'
import { ifAll } from './grounds.ts'

/** Flags of how fast the service answers. */
export const SPEED = {
  slow: {
    meaning: `The last ${LIMITS.slowProbes} answers took ${LIMITS.slowMs / 1000} seconds or more.`,
    fix: 'Answer unpaid calls with the challenge before any work is done.',
    raise({ probes }) {
      const slow = probes.slice(-LIMITS.slowProbes)
      const isEnough = slow.length === LIMITS.slowProbes
      return isEnough ? ifAll(slow, ({ latencyMs }) => (latencyMs ?? 0) >= LIMITS.slowMs) : []
    },
    describe({ probes }) {
      const times = probes.slice(-LIMITS.slowProbes).map(({ latencyMs }) => (latencyMs ?? 0) / 1000)
      return `The last ${times.length} answers took ${Math.round(Math.min(...times))} to ${Math.round(Math.max(...times))} s. Clears when one takes less than ${LIMITS.slowMs / 1000} s.`
    },
  },
} as const satisfies Partial<Record<Flag, FlagRule>>

/** Flags of how often it answers. */
export const UPTIME = {
  flaky: {
    meaning: `Uptime, by probes or by time, is below ${LIMITS.flakyBelowPct} % with a probability of 97.5 %.`,
    fix: 'Find out why requests fail; the daily record shows when.',
    raise({ lowestUptime, observations }) {
      const failed = observations.filter(({ outcome }) => outcome === 'down')
      return isFlaky(lowestUptime) ? [failed.slice(-LIMITS.darkAfterDowns)] : []
    },
    describe: ({ lowestUptime: { up, down, upperBound } }) =>
      `${up} of ${up + down} probes were answered with valid terms; by probes or by time, its uptime is at best ${upperBound} %. Clears 24 h after that bound reaches ${LIMITS.flakyBelowPct} %.`,
    needs: { isThere: ({ uptime }) => uptime.pct !== null, lacks: 'there are too few probes yet' },
  },
} as const satisfies Partial<Record<Flag, FlagRule>>
