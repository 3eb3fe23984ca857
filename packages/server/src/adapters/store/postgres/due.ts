import type { PoolClient } from 'pg'
import type { Time } from '../../../domain/facts/facts.ts'
import type { DueList, Store } from '../../../ports/store.ts'
import type { Database } from './database.ts'
import { fromKey, toKey } from './keyText.ts'

/** A key and the time at which it is due. */
export type Due = { readonly key: string; readonly at: Time }

/** The part of a store that knows what is due. */
export type DueLists = Pick<Store, 'claimDue' | 'nextDue' | 'countDue'>

/** Creates it. */
export function createDueLists(database: Database): DueLists {
  return {
    async claimDue(list, now, again, limit) {
      // A key that another process is taking is skipped.
      const rows = await database.query<{ key: string }>(
        `WITH taken AS MATERIALIZED (
           SELECT key, at FROM due WHERE list = $1 AND at <= $2 ORDER BY at, key LIMIT $4 FOR UPDATE SKIP LOCKED),
         postponed AS (UPDATE due SET at = $3 FROM taken WHERE due.list = $1 AND due.key = taken.key)
         SELECT key FROM taken ORDER BY at, key`,
        [list, now, again, limit],
      )
      return rows.map(({ key }) => fromKey(key))
    },
    async nextDue(list) {
      const [first] = await database.query<{ at: string | null }>(
        'SELECT min(at) AS at FROM due WHERE list = $1',
        [list],
      )
      return first?.at == null ? null : Number(first.at)
    },
    async countDue(list, now) {
      const [found] = await database.query<{ count: string }>(
        'SELECT count(*) FROM due WHERE list = $1 AND at <= $2',
        [list, now],
      )
      return Number(found?.count ?? 0)
    },
  }
}

/** Makes keys due that the list does not hold yet; of several times of a key the first counts. */
export async function addDue(client: PoolClient, list: DueList, added: readonly Due[]): Promise<void> {
  if (added.length === 0) return
  const times = new Map(added.toReversed().map(({ key, at }) => [toKey(key), at]))
  // In order, so that two processes that add the same keys do not deadlock.
  const keys = [...times.keys()].sort()
  await client.query(
    `INSERT INTO due (list, key, at) SELECT $1, * FROM unnest($2::text[], $3::bigint[])
     ON CONFLICT (list, key) DO NOTHING`,
    [list, keys, keys.map((key) => times.get(key))],
  )
}
