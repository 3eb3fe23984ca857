import { DAY, HOUR, MINUTE } from '../../facts/times.ts'

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
export const DARK_SHARE = 24

/** Maximum share of an interval that is added at random. */
export const JITTER = 0.1

/** Returns the longest time to the next probe of an endpoint that does not refuse, by the time that it has been dark. */
export function longestIntervalMs(darkMs: number): number {
  const share = Math.max(INTERVALS.steady, darkMs / DARK_SHARE)
  return (1 + JITTER) * Math.min(INTERVALS.darkMost, share)
}
