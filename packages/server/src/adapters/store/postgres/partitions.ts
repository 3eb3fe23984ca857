import type { Time } from '../../../domain/facts/facts.ts'
import { DAY, MINUTE } from '../../../domain/facts/times.ts'
import type { Database } from './database.ts'

/** The partitions of the looks: one a day (UTC), named `look_` and the days since 1970, and `look_other` for the rest. */
export type Partitions = {
  /** Makes the partitions of some times, where they are neither old nor ahead. */
  ensure(times: readonly Time[]): Promise<void>
  /** Days that have a partition, oldest first. */
  days(): Promise<number[]>
  /** Drops the partition of a day. */
  drop(day: number): Promise<void>
}

/** Days that are given a partition ahead. */
const AHEAD = 2
/** How long one waits for those who read or write, in ms; they wait for the change of the table meanwhile. */
const LOCK_TIMEOUT_MS = 3_000
/** Key of the advisory lock of those who change partitions. */
const LOCK = 7_402_402_002

/** Returns the day of a time, in days since 1970. */
export const dayOf = (at: Time): number => Math.floor(at / DAY)

/** Creates it; looks older than `keptDays` go to `look_other`. */
export function createPartitions(database: Database, now: () => Time, keptDays: number): Partitions {
  let known = new Set<number>()
  const adding = new Map<number, Promise<void>>()
  const retryAt = new Map<number, Time>()

  const days = async (): Promise<number[]> => {
    const rows = await database.query<{ name: string }>(
      `SELECT child.relname AS name FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
       WHERE inhparent = to_regclass('look')`,
    )
    return rows
      .flatMap(({ name }) => /^look_(\d+)$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b)
  }

  const add = (day: number): Promise<void> =>
    database.transaction(async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
      const name = `look_${day}`
      // `to_regclass` may not see yet that another process has made it.
      const { rows } = await client.query(
        'SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1',
        [name],
      )
      if (rows.length > 0) return
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
      await client.query(`CREATE TABLE ${name} (LIKE look INCLUDING ALL)`)
      const range = [day * DAY, (day + 1) * DAY] as const
      // Looks of the day that came before its partition.
      await client.query('LOCK TABLE look_other IN ACCESS EXCLUSIVE MODE')
      await client.query(
        `WITH moved AS (DELETE FROM look_other WHERE at >= $1 AND at < $2 RETURNING *)
         INSERT INTO ${name} SELECT * FROM moved`,
        [...range],
      )
      await client.query(
        `ALTER TABLE look ATTACH PARTITION ${name} FOR VALUES FROM (${range[0]}) TO (${range[1]})`,
      )
    })

  /** Makes a partition. If that fails, the looks are in `look_other` until it is made. */
  const addOnce = (day: number): Promise<void> =>
    add(day)
      .then(
        () => void known.add(day),
        () => void retryAt.set(day, now() + MINUTE),
      )
      .finally(() => adding.delete(day))

  return {
    days,
    async ensure(times) {
      const today = dayOf(now())
      const wanted = [...new Set(times.map(dayOf))].filter(
        (day) => day >= today - keptDays && day <= today + AHEAD && !known.has(day),
      )
      if (wanted.length === 0) return
      known = new Set(await days())
      for (const day of wanted) {
        if (known.has(day)) continue
        if ((retryAt.get(day) ?? 0) > now()) continue
        const added = adding.get(day) ?? addOnce(day)
        adding.set(day, added)
        await added
      }
    },
    async drop(day) {
      await database.transaction(async (client) => {
        await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
        await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
        await client.query(`DROP TABLE IF EXISTS look_${day}`)
      })
      known.delete(day)
    },
  }
}
