import type { Time } from './facts.ts'

// Durations in milliseconds.
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Time after which what could not be read through a fault of ours is read again. */
export const READ_AGAIN_MS = HOUR / 4

/** Age up to which probes are judged, and are kept if nothing cites them. Another value is another version of the score. */
export const PROBES_KEPT_MS = 90 * DAY

/** Formats a time as ISO 8601, UTC. */
export function toTimestamp(time: Time): string {
  return new Date(time).toISOString()
}

/** Formats a time as `YYYY-MM-DD`, UTC. */
export function toDate(time: Time): string {
  return toTimestamp(time).slice(0, 10)
}

/** Returns the full minute before a time. Ages in answers are counted by it, so equal requests get equal bytes. */
export const startOfMinute = (at: Time): Time => Math.floor(at / MINUTE) * MINUTE

/** Returns the full minute after a time. */
export const endOfMinute = (at: Time): Time => startOfMinute(at) + MINUTE
