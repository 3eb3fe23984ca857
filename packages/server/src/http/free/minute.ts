import type { Time } from '../../domain/facts/facts.ts'
import { MINUTE } from '../../domain/facts/times.ts'

/** Returns the full minute before a time. Ages in answers are counted by it, so equal requests get equal bytes. */
export const startOfMinute = (at: Time): Time => Math.floor(at / MINUTE) * MINUTE

/** Returns the full minute after a time. */
export const endOfMinute = (at: Time): Time => startOfMinute(at) + MINUTE
