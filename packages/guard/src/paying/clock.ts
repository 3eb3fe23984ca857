const MOST_MS = 60_000

/** What to do about a wrong clock. */
export const SET_CLOCK = 'Set the clock of this machine, then call again.'

/**
 * Names the difference between the own clock and the `Date` of an answer; undefined up to a minute, or without a date.
 * @param whom whose clock the date is of
 * @param now the own clock, Unix time in ms
 */
export function describeClock(headers: Headers, whom: string, now: number): string | undefined {
  const ahead = now - Date.parse(headers.get('date') ?? '')
  if (!(Math.abs(ahead) > MOST_MS)) return undefined
  const difference = `${Math.round(Math.abs(ahead) / 60_000)} min ${ahead > 0 ? 'ahead of' : 'behind'}`
  return `The clock of this machine is ${difference} that of ${whom}.`
}
