import type { Time } from '../facts/facts.ts'
import type { Clock } from '../lib/clock.ts'

/** Creates a clock that a test sets through `now`. Its waits end at once. */
export const clockAt = (now: () => Time): Clock => ({ now, sleep: async () => {}, hold: () => () => {} })
