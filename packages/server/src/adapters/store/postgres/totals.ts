import type { Time } from '../../../domain/facts/facts.ts'
import type { Store } from '../../../ports/store.ts'
import type { Database } from './database.ts'
import { REFRESHED, refreshHosts } from './hostTotals.ts'
import { behindPrefix, fromKey, toKey } from './keyText.ts'

/** The part of a store that reads totals and ranks. */
export type Totals = Pick<Store, 'counts' | 'count' | 'ranked' | 'searchHosts'>

/** Number of keys per query. */
const PAGE = 1_000

/** Creates it. */
export function createTotals(database: Database): Totals {
  let refreshing: { readonly until: Time; readonly done: Promise<void> } | undefined

  /** Brings expired verdicts up to a time. Concurrent calls share one pass. */
  const refresh = async (now: Time): Promise<void> => {
    if (refreshing && refreshing.until >= now) return refreshing.done
    const pass = { until: now, done: refreshAll(now) }
    refreshing = pass
    try {
      await pass.done
    } finally {
      if (refreshing === pass) refreshing = undefined
    }
  }

  const refreshAll = async (now: Time): Promise<void> => {
    for (;;) {
      const [expired] = await database.query('SELECT 1 FROM summary WHERE valid_until <= $1 LIMIT 1', [now])
      if (!expired) return
      const refreshed = await database.transaction((client) => refreshHosts(client, now))
      // The rest, if any, is in the hands of other processes.
      if (refreshed < REFRESHED) return
    }
  }

  return {
    async counts(prefix, now) {
      await refresh(now)
      const key = toKey(prefix)
      const rows = await database.query<{ name: string; n: string }>(
        'SELECT name, n FROM total WHERE name >= $1 AND name < $2 AND n <> 0',
        [key, behindPrefix(key)],
      )
      return new Map(rows.map(({ name, n }) => [fromKey(name), Number(n)]))
    },
    async count(name) {
      const [row] = await database.query<{ n: string }>('SELECT n FROM total WHERE name = $1', [toKey(name)])
      return Number(row?.n ?? 0)
    },
    async *ranked(index, now, { prefix = '', after = '', limit = Number.POSITIVE_INFINITY } = {}) {
      await refresh(now)
      const [from, end] = [toKey(prefix), behindPrefix(toKey(prefix))]
      let last = toKey(after)
      for (let left = limit; left > 0; ) {
        const wanted = Math.min(left, PAGE)
        const rows: { key: string }[] = await database.query(
          'SELECT key FROM rank WHERE index = $1 AND key >= $2 AND key > $3 AND key < $4 ORDER BY key LIMIT $5',
          [index, from, last, end, wanted],
        )
        for (const { key } of rows) yield fromKey(key)
        last = rows.at(-1)?.key ?? last
        left = rows.length < wanted ? 0 : left - wanted
      }
    },
    async searchHosts(text, limit) {
      const pattern = `%${toKey(text).replace(/[\\%_]/g, '\\$&')}%`
      const rows = await database.query<{ key: string; total: string }>(
        `SELECT key, count(*) OVER () AS total FROM rank WHERE index = 'names' AND key LIKE $1 ORDER BY key LIMIT $2`,
        [pattern, Math.max(limit, 1)],
      )
      const hosts = rows.map(({ key }) => fromKey(key)).slice(0, limit)
      return { hosts, total: Number(rows[0]?.total ?? 0) }
    },
  }
}
