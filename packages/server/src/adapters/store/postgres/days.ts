import type { PoolClient } from 'pg'
import type { DailyMeasurements } from '../../../domain/facts/dailyMeasurements.ts'
import { DAY, toDate } from '../../../domain/facts/times.ts'
import type { Store } from '../../../ports/store.ts'
import type { Database } from './database.ts'
import { type Numbers, numberOf } from './endpoints.ts'
import { fromKey, toKey } from './keyText.ts'

type Row = {
  host: string
  day: number
  up: number
  down: number
  not_measured: number
  p50: number | null
  p90: number | null
}

/** Creates the `days` of a store. */
export function createDays(database: Database): Store['days'] {
  return async (endpoint) => {
    const rows = await database.query<Row>(
      `SELECT host, day, up, down, not_measured, p50, p90
       FROM endpoint JOIN day ON day.endpoint = endpoint.number WHERE endpoint.endpoint = $1 ORDER BY day`,
      [toKey(endpoint)],
    )
    return rows.map(({ host, day, up, down, not_measured: notMeasured, p50, p90 }) => ({
      endpoint,
      host: fromKey(host),
      date: toDate(day * DAY),
      up,
      down,
      notMeasured,
      latencyMsP50: p50,
      latencyMsP90: p90,
    }))
  }
}

/** Writes days of endpoints that have numbers; a known day is replaced. */
export async function writeDays(
  client: PoolClient,
  numbers: Numbers,
  days: readonly DailyMeasurements[],
): Promise<void> {
  if (days.length === 0) return
  // Of one day the last wins: one statement cannot write a row twice.
  const rows = [...new Map(days.map((day) => [`${day.date} ${day.endpoint}`, day])).values()]
  await client.query(
    `INSERT INTO day (endpoint, day, up, down, not_measured, p50, p90)
     SELECT * FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[], $5::integer[],
       $6::double precision[], $7::double precision[])
     ON CONFLICT (endpoint, day) DO UPDATE SET up = excluded.up, down = excluded.down,
       not_measured = excluded.not_measured, p50 = excluded.p50, p90 = excluded.p90`,
    [
      rows.map(({ endpoint }) => numberOf(numbers, endpoint)),
      rows.map(({ date }) => Date.parse(date) / DAY),
      rows.map(({ up }) => up),
      rows.map(({ down }) => down),
      rows.map(({ notMeasured }) => notMeasured),
      rows.map(({ latencyMsP50 }) => latencyMsP50),
      rows.map(({ latencyMsP90 }) => latencyMsP90),
    ],
  )
}
