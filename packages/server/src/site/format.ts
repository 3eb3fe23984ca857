import type { Time } from '../domain/facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../domain/facts/times.ts'
import { formatDollars } from '../domain/publish/dollars.ts'
import { plural } from './text.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const

/** `21 Nov 2026`, UTC. */
export function formatDate(time: Time): string {
  const date = new Date(time)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** `21 Nov 2026, 10:42 UTC` */
export function formatTime(time: Time): string {
  return `${formatDate(time)}, ${new Date(time).toISOString().slice(11, 16)} UTC`
}

/** `3 hours ago`, in whole units so that a page does not change every second. */
export function formatAge(time: Time, now: Time): string {
  const age = Math.max(0, now - time)
  if (age < HOUR) {
    const minutes = Math.floor(age / MINUTE)
    return minutes < 1 ? 'just now' : `${plural(minutes, 'minute')} ago`
  }
  return age < 2 * DAY
    ? `${plural(Math.floor(age / HOUR), 'hour')} ago`
    : `${plural(Math.floor(age / DAY), 'day')} ago`
}

/** `$0.005`, or a dash where no price is known. */
export function formatUsd(usd: number | null): string {
  return usd === null ? '–' : formatDollars(usd)
}

/** `30 days`, `48 hours`, `30 minutes`: the largest unit that gives a whole number. */
export function formatDuration(ms: number): string {
  const [unit, size] = (
    [
      ['day', DAY],
      ['hour', HOUR],
      ['minute', HOUR / 60],
      ['second', 1000],
    ] as const
  ).find(([, length]) => ms >= length && ms % length === 0) ?? ['ms', 1]
  return unit === 'ms' ? `${ms} ms` : plural(ms / size, unit)
}
