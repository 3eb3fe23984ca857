import { formatDollars } from '../facts/dollars.ts'
import type { Time } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE, toDate } from '../facts/times.ts'

/** Formats a time in UTC: `2026-11-21 10:42 UTC`. */
export function formatTime(time: Time): string {
  return `${toDate(time)} ${new Date(time).toISOString().slice(11, 16)} UTC`
}

/** Formats an age in whole units, so a page does not change every second: `3 hours ago`. */
export function formatAge(time: Time, now: Time): string {
  const age = Math.max(0, now - time)
  if (age < MINUTE) return 'just now'
  if (age < HOUR) return `${plural(Math.floor(age / MINUTE), 'minute')} ago`
  if (age < 2 * DAY) return `${plural(Math.floor(age / HOUR), 'hour')} ago`
  return `${plural(Math.floor(age / DAY), 'day')} ago`
}

/** Formats a price in dollars: `$0.005`, or a dash if it is unknown. */
export function formatUsd(usd: number | null): string {
  return usd === null ? '–' : formatDollars(usd)
}

/** Formats score points with their sign: `+20`, `−35`, `0`. */
export function formatPoints(points: number): string {
  return points > 0 ? `+${points}` : `${points}`.replace('-', '−')
}

/** Formats a count with its noun: `1 probe`, `2 probes`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}
