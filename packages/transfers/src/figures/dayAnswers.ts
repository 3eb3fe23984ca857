import { setImmediate as pause } from 'node:timers/promises'
import type { Flow, Momentum, Pulse, Whales } from '@touchstone402/shared'
import type { ReadOptions, TransferSource } from '../types.ts'
import { createWindowAnswers } from './answerWindow.ts'
import { BUCKETS } from './pulse.ts'
import { createWindowReader, type Reading, type TokenAnswersDeps, type WindowQuery } from './readWindow.ts'

/** Which day of which token. */
export type DayQuery = Omit<WindowQuery, 'partial'> & {
  /** `YYYY-MM-DD`, in UTC. */
  readonly date: string
}

/** The answers of the four token operations about one UTC day. */
export type DayAnswers = {
  /** Its series has one part for each hour. */
  readonly pulse: Pulse
  readonly whales: Whales
  readonly flow: Flow
  /** Compared with the day before. */
  readonly momentum: Momentum
}

/** Reads one UTC day of a token. Rejects with TokenError or ChainError if nothing of it could be read. */
export type ReadDay = (query: DayQuery) => Promise<DayAnswers>

/** Maximum number of large transfers of a day. */
const DAY_ROWS = 25
const HOUR_SECONDS = 3600

/** Creates the reader of days. What cannot be read within the limits of a query is left out, and the answers say so. */
export function createDayAnswers(deps: TokenAnswersDeps): ReadDay {
  const reader = createWindowReader(deps)
  const answers = createWindowAnswers(deps.source, reader)
  return async (query) => {
    const limits = { ...query, partial: true }
    const reading = await reader.day(limits)
    const starts = await findHours(deps.source, reading, query)
    const pulse = await answers.pulse(reading, limits, starts)
    // Each answer may take a second to compute: others get their turn in between.
    await pause()
    const whales = await answers.whales(reading, { ...limits, limit: DAY_ROWS })
    await pause()
    const flow = await answers.flow(reading, limits)
    await pause()
    return { pulse, whales, flow, momentum: await answers.momentum(reading, limits) }
  }
}

/** Returns the first block of each hour of a day, and the one after its last block. */
async function findHours(
  source: TransferSource,
  { context: { window }, heads, startsAt }: Reading,
  { signal }: ReadOptions,
): Promise<number[]> {
  const starts = [window.fromBlock]
  for (let hour = 1; hour < BUCKETS; hour++) {
    const { number } = await source.firstBlockAfter(startsAt + hour * HOUR_SECONDS, heads, { signal })
    starts.push(Math.min(number, window.toBlock + 1))
  }
  return [...starts, window.toBlock + 1]
}
