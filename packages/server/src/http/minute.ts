import { MINUTE } from '../domain/durations.ts'
import type { Time } from '../domain/facts.ts'

/** The full minute that a moment lies in: ages in answers are counted by it, so that equal questions get equal bytes. */
export const startOfMinute = (at: Time): Time => Math.floor(at / MINUTE) * MINUTE

/** The full minute that follows. */
export const endOfMinute = (at: Time): Time => startOfMinute(at) + MINUTE
