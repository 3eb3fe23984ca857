import { openDatabase } from '@touchstone402/server/parts'
import { sendLoad } from '../../support/load/client.ts'

/** Service and database to compare, and how long. */
export type Compared = {
  readonly origin: string
  readonly databaseUrl: string
  readonly endpoints: number
  readonly urlOf: (endpoint: number) => string
  readonly turns: number
  readonly turnMs: number
}

/** Requests at once, as many as the client of `/verify` has connections. */
const AT_ONCE = 32
/** A prime, so that neighbours in the list of requests are far apart in the table. */
const STRIDE = 7_368_787

/**
 * Requests verdicts that were never asked before, and reads the same rows by key over a pool of the default size with as
 * many reads at once, in turns; each comes first in every other turn.
 * @returns answers per second of both, and verdicts that were refused
 */
export async function compareCold({ origin, databaseUrl, endpoints, urlOf, turns, turnMs }: Compared) {
  const database = openDatabase({ url: databaseUrl })
  const each = Math.floor(endpoints / turns)
  const [verify, select] = [
    { done: 0, errors: 0 },
    { done: 0, errors: 0 },
  ]
  const takeFrom = (turn: number) => {
    let taken = 0
    return () => urlOf(((turn * each + taken++) * STRIDE) % endpoints)
  }
  const askVerdicts = async (turn: number) => {
    const next = takeFrom(turn)
    const nextPath = () => `/verify?endpoint=${encodeURIComponent(next())}`
    const { answered, errors } = await sendLoad({ origin, nextPath, durationMs: turnMs })
    verify.done += answered
    verify.errors += errors
  }
  const readRows = async (turn: number) => {
    const next = takeFrom(turn)
    const end = performance.now() + turnMs
    const read = async () => {
      while (performance.now() < end) {
        const rows = await database.query('SELECT state, carried FROM endpoint WHERE endpoint = $1', [next()])
        if (rows.length !== 1) throw new Error('an endpoint is missing')
        select.done++
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, read))
  }
  try {
    for (let turn = 0; turn < turns; turn++) {
      const both = turn % 2 === 0 ? [askVerdicts, readRows] : [readRows, askVerdicts]
      for (const one of both) await one(turn)
    }
  } finally {
    await database.close()
  }
  const perSecond = (count: number) => count / ((turns * turnMs) / 1000)
  return { verify: perSecond(verify.done), select: perSecond(select.done), errors: verify.errors }
}
