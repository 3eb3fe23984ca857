import { setTimeout as sleep } from 'node:timers/promises'
import type { TokenDay } from '@touchstone402/shared'
import { type Address, ChainError, type DayAnswers, type ReadDay, TokenError } from '@touchstone402/transfers'
import { DAY, HOUR, MINUTE, toDate } from '../facts/times.ts'
import type { DayAttempt, DayFailure, TokenDays, TokenLine } from './tokenDays.ts'

/** Dependencies of the queue. */
export type DayQueueDeps = {
  readonly days: TokenDays
  readonly readDay: ReadDay
  /** Unix time in ms. The chain keeps real time, not the audit's clock. */
  readonly now: () => number
  /** Receives errors other than of chain and token, which the page states. */
  readonly onError: (token: string, error: unknown) => void
}

/** Reads the last finished UTC day of each covered token, one token at a time. */
export type DayQueue = {
  /** Reads every day that is due, and returns the tokens in that order. */
  round(signal: AbortSignal): Promise<string[]>
  /** Repeats rounds until the signal fires. */
  run(signal: AbortSignal): Promise<void>
}

/** Time after midnight from which on the blocks of a day are final. Base takes up to 20 minutes. */
const FINAL_AFTER_MS = 30 * MINUTE
const ROUND_EVERY_MS = MINUTE
/** Limits of one attempt. What was read is cached, so that the next one continues there. */
const READ_MS = 3 * MINUTE
const REQUESTS = 1500
const MAX_ATTEMPTS = 12
const FIRST_PAUSE_MS = 5 * MINUTE
const MAX_PAUSE_MS = 2 * HOUR
/** Attempts after which a day counts even if the one before it cannot be read in full. */
const PATIENCE = 3

/** Creates the queue. */
export function createDayQueue({ days, readDay, now, onError }: DayQueueDeps): DayQueue {
  const lastDay = () => toDate(now() - DAY - FINAL_AFTER_MS)

  /** Returns the token that is read next: of those due the one with the fewest attempts, the first in the list. */
  const findNext = async (date: string) => {
    let next: { token: string; line: TokenLine | undefined; count: number } | undefined
    for (const token of await days.covered()) {
      const line = await days.line(token)
      const attempt = line?.attempt.date === date ? line.attempt : undefined
      if (attempt !== undefined && !isDue(attempt, now())) continue
      const count = attempt?.count ?? 0
      if (next === undefined || count < next.count) next = { token, line, count }
    }
    return next
  }

  const readOne = async (
    token: string,
    date: string,
    count: number,
    line: TokenLine | undefined,
    signal: AbortSignal,
  ) => {
    const limits = { signal, deadlineAt: now() + READ_MS, allowance: { left: REQUESTS } }
    const attempt = { date, count: count + 1, at: now() }
    try {
      const answers = await readDay({ token: token as Address, date, ...limits })
      const isSettled = isLast(answers, attempt.count)
      const day: TokenDay = { date, readAt: new Date(now()).toISOString(), ...answers }
      await days.put(token, toLine(day, { ...attempt, failure: null, isSettled }), day)
    } catch (error) {
      // A read that a stop cut is no attempt.
      if (signal.aborted) return
      const failure = failureOf(error)
      if (failure === 'internal') onError(token, error)
      const { name = null, symbol = null, summary = null, isComplete = false } = line ?? {}
      const kept = { name, symbol, date: line?.date ?? null, summary, isComplete }
      const isSettled = error instanceof TokenError
      await days.put(token, { ...kept, attempt: { ...attempt, failure, isSettled } }, null)
    }
  }

  const round: DayQueue['round'] = async (signal) => {
    const read: string[] = []
    while (!signal.aborted) {
      const date = lastDay()
      const next = await findNext(date)
      if (next === undefined) break
      await readOne(next.token, date, next.count, next.line, signal)
      read.push(next.token)
    }
    return read
  }

  return {
    round,
    async run(signal) {
      while (!signal.aborted) {
        await round(signal).catch((error: unknown) => onError('list', error))
        await sleep(ROUND_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined)
      }
    },
  }
}

function isDue({ count, at, isSettled }: DayAttempt, now: number): boolean {
  if (isSettled || count >= MAX_ATTEMPTS) return false
  return now >= at + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (count - 1))
}

/** Whether another attempt would change nothing about a day. */
function isLast({ pulse: { window }, momentum: { previousWindow } }: DayAnswers, attempts: number): boolean {
  if (window.truncated) return true
  if (!window.complete || window.finality !== 'finalized') return false
  return previousWindow.complete || attempts >= PATIENCE
}

const failureOf = (error: unknown): DayFailure =>
  error instanceof ChainError || error instanceof TokenError ? error.code : 'internal'

const toLine = ({ date, pulse }: TokenDay, attempt: DayAttempt): TokenLine => ({
  name: pulse.token.name,
  symbol: pulse.token.symbol,
  date,
  summary: pulse.summary,
  isComplete: pulse.window.complete,
  attempt,
})
