import { setTimeout as sleep } from 'node:timers/promises'
import type { TokenDay } from '@touchstone402/shared'
import type { Address, Chain, DayAnswers, TokenErrorCode } from '@touchstone402/transfers'
import { ChainError } from '@touchstone402/transfers/errors'
import type { Context } from '../context.ts'
import { DAY, HOUR, MINUTE, toDate } from '../facts/times.ts'
import { messageOf } from '../lib/errors.ts'
import { logFailure } from '../lib/logFailure.ts'
import type { DayAttempt, DayFailure, TokenContext, TokenDays, TokenLine } from './tokenDays.ts'

/** Parts of the queue. */
export type DayQueueParts = {
  readonly days: TokenDays
  readonly readDay: Chain['day']
  /** Unix time in ms. The chain keeps real time, not the audit's clock. */
  readonly now: () => number
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
/** Maximum number of attempts at a day. */
const MAX_ATTEMPTS = { configured: 12, sold: 3 }
/**
 * Requests a day for all tokens that were paid for together, or a few cents would keep the chain's RPC busy for a week.
 * They suffice for 20 attempts that use all they may, or for 300 requests of each of 100 tokens.
 */
export const SOLD_REQUESTS = 20 * REQUESTS
const FIRST_PAUSE_MS = 5 * MINUTE
const MAX_PAUSE_MS = 2 * HOUR
/** Attempts after which a day counts even if the one before it cannot be read in full. */
const PATIENCE = 3
/** Failures that another attempt would not change. */
const OF_TOKEN: ReadonlySet<DayFailure> = new Set<TokenErrorCode>(['not_a_contract', 'not_erc20'])

/** The token that is read next. */
type Next = {
  readonly token: string
  /** Whether it was paid for and is not of the configuration. */
  readonly isSold: boolean
  readonly line: TokenLine | undefined
  /** Attempts so far. */
  readonly count: number
}

type Attempt = Pick<DayAttempt, 'date' | 'count' | 'at'>

/** Creates the queue. Logs errors other than of chain and token, which the page states. */
export function createDayQueue(
  { config, log }: Pick<TokenContext, 'config'> & Pick<Context, 'log'>,
  parts: DayQueueParts,
): DayQueue {
  const { days, now } = parts
  const pages = config.tokenPages
  const onError = (token: string, error: unknown) => logFailure(log, 'token day', error, token)
  const lastDay = () => toDate(now() - DAY - FINAL_AFTER_MS)
  // Kept in memory: buyers cannot cause a restart, which resets it.
  let budget = { date: '', left: 0 }

  /**
   * Returns the token that is read next: of those due the one with the fewest attempts, the first in the list. One that was
   * paid for waits until no token of the configuration is due.
   */
  const findNext = async (date: string) => {
    let next: Next | undefined
    const [covered, lines] = await Promise.all([days.covered(), days.lines()])
    for (const token of covered) {
      const isSold = !pages.includes(token)
      // Those of the configuration are first in the list.
      if (isSold && (next?.isSold === false || budget.left < REQUESTS)) break
      const line = lines.get(token)
      const attempt = line?.attempt.date === date ? line.attempt : undefined
      if (attempt !== undefined && !isDue(attempt, isSold, now())) continue
      const count = attempt?.count ?? 0
      if (next === undefined || count < next.count) next = { token, isSold, line, count }
    }
    return next
  }

  /** Reads a day and keeps it. Returns why it could not; null if it did. */
  const readDay = async ({ token, isSold }: Next, attempt: Attempt, signal: AbortSignal) => {
    const { date } = attempt
    // A read without an answer may have used them all.
    let requestsLeft = 0
    try {
      const deadlineAt = now() + READ_MS
      const read = await parts.readDay({
        token: token as Address,
        date,
        signal,
        deadlineAt,
        requests: REQUESTS,
      })
      requestsLeft = read.requestsLeft
      if (read.answers === null) return read.failure
      const isSettled = isLast(read.answers, attempt.count)
      const day: TokenDay = { date, readAt: new Date(now()).toISOString(), ...read.answers }
      await days.put(token, toLine(day, { ...attempt, failure: null, isSettled }), day)
      return null
    } catch (error) {
      return {
        code: error instanceof ChainError ? error.code : 'internal',
        message: messageOf(error),
      } as const
    } finally {
      if (isSold) budget.left -= REQUESTS - requestsLeft
    }
  }

  const readOne = async (next: Next, date: string, signal: AbortSignal) => {
    const { token, line } = next
    const attempt = { date, count: next.count + 1, at: now() }
    const failure = await readDay(next, attempt, signal)
    // A read that a stop cut is no attempt.
    if (failure === null || signal.aborted) return
    const { code, message } = failure
    if (code === 'internal') onError(token, message)
    const kept = await keepLine(token, line)
    const isSettled = OF_TOKEN.has(code)
    await days.put(token, { ...kept, attempt: { ...attempt, failure: code, isSettled } }, null)
  }

  /** Returns what stays of a line after an attempt that failed. Its day may have expired meanwhile. */
  const keepLine = async (token: string, line: TokenLine | undefined) => {
    const { name = null, symbol = null, warnings = [] } = line ?? {}
    const stored = line !== undefined && (await days.day(token)) !== undefined
    const { date, summary, isComplete } = stored ? line : { date: null, summary: null, isComplete: false }
    return { name, symbol, warnings, date, summary, isComplete }
  }

  const round: DayQueue['round'] = async (signal) => {
    const read: string[] = []
    while (!signal.aborted) {
      const date = lastDay()
      if (budget.date !== date) budget = { date, left: SOLD_REQUESTS }
      const next = await findNext(date)
      if (next === undefined) break
      await readOne(next, date, signal)
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

function isDue({ count, at, isSettled }: DayAttempt, isSold: boolean, now: number): boolean {
  if (isSettled || count >= MAX_ATTEMPTS[isSold ? 'sold' : 'configured']) return false
  return now >= at + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (count - 1))
}

/** Whether another attempt would change nothing about a day. */
function isLast({ pulse: { window }, momentum: { previousWindow } }: DayAnswers, attempts: number): boolean {
  if (window.truncated) return true
  if (!window.complete || window.finality !== 'finalized') return false
  return previousWindow.complete || attempts >= PATIENCE
}

const toLine = ({ date, pulse }: TokenDay, attempt: DayAttempt): TokenLine => ({
  name: pulse.token.name,
  symbol: pulse.token.symbol,
  warnings: pulse.token.warnings,
  date,
  summary: pulse.summary,
  isComplete: pulse.window.complete,
  attempt,
})
