import type { Time } from '../../domain/facts/facts.ts'
import { MINUTE } from '../../domain/facts/times.ts'

/** The full minute that a moment lies in: ages in answers are counted by it, so that equal questions get equal bytes. */
export const startOfMinute = (at: Time): Time => Math.floor(at / MINUTE) * MINUTE

/** The full minute that follows. */
export const endOfMinute = (at: Time): Time => startOfMinute(at) + MINUTE
