import { hashLeaf } from '@touchstone402/shared/log'
import type { PoolClient } from 'pg'
import type { NewLeaf } from '../../../domain/facts/leaves.ts'
import type { LogStore } from '../../../ports/log.ts'
import type { Database } from '../postgres/database.ts'
import { toKey } from '../postgres/keyText.ts'
import { prepared } from '../postgres/prepared.ts'
import { payloadOf } from '../postgres/watch.ts'
import { growTree } from './growTree.ts'

type Waiting = { number: string; key: string; leaf: string; opening: string | null; about: string | null }

/** Writes leaves that wait for their place. */
export async function writeLeaves(client: PoolClient, leaves: readonly NewLeaf[]): Promise<void> {
  for (const { key, leaf, opening, once = false, about } of leaves) {
    await client.query(
      prepared(
        // Of two processes that write one key the second waits here for the first.
        `WITH known AS (
           INSERT INTO log_key (key, waiting, index) VALUES ($1, nextval('log_order'), NULL)
           ON CONFLICT (key) DO UPDATE SET waiting = excluded.waiting, index = NULL WHERE NOT $4
           RETURNING waiting)
         INSERT INTO log_waiting (number, key, leaf, opening, about)
         SELECT waiting, $1, $2, $3, $5 FROM known`,
        [toKey(key), leaf, opening, once, about === undefined ? null : payloadOf(about)],
      ),
    )
  }
}

async function sequence(client: PoolClient, schema: string, limit: number): Promise<number> {
  const { rows: state } = await client.query<{ size: string }>('SELECT size FROM log_state FOR UPDATE')
  const size = Number(state[0]?.size ?? 0)
  const { rows: waiting } = await client.query<Waiting>(
    'DELETE FROM log_waiting WHERE number IN (SELECT number FROM log_waiting ORDER BY number LIMIT $1) RETURNING *',
    [limit],
  )
  if (waiting.length === 0) return 0
  waiting.sort((a, b) => Number(a.number) - Number(b.number))
  await client.query(
    `WITH placed AS (
       SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[])
         AS leaf (index, leaf, opening, key, number)),
     known AS (
       UPDATE log_key SET waiting = NULL, index = placed.index FROM placed
       WHERE log_key.key = placed.key AND log_key.waiting = placed.number)
     INSERT INTO log_entry (index, leaf, opening) SELECT index, leaf, opening FROM placed`,
    [
      waiting.map((_, place) => size + place),
      waiting.map(({ leaf }) => leaf),
      waiting.map(({ opening }) => opening),
      waiting.map(({ key }) => key),
      waiting.map(({ number }) => number),
    ],
  )
  const hashes = waiting.map(({ leaf }) => hashLeaf(Buffer.from(leaf)))
  const grown = await growTree(size, hashes, async ({ level, index }) => {
    const { rows } = await client.query<{ hashes: Buffer }>(
      'SELECT hashes FROM log_tile WHERE level = $1 AND index = $2',
      [level, index],
    )
    return rows[0]?.hashes
  })
  await client.query(
    `INSERT INTO log_tile (level, index, hashes) SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bytea[])
     ON CONFLICT (level, index) DO UPDATE SET hashes = excluded.hashes`,
    [
      grown.map(({ level }) => level),
      grown.map(({ index }) => index),
      grown.map(({ hashes: bytes }) => bytes),
    ],
  )
  await client.query('UPDATE log_state SET size = $1', [size + waiting.length])
  const changed = waiting.flatMap(({ about }) => (about === null ? [] : [about]))
  if (changed.length > 0)
    await client.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [schema, changed])
  return waiting.length
}

/** Creates the log of a store. */
export function createLogStore(database: Database): LogStore {
  return {
    add: (leaves) => database.transaction((client) => writeLeaves(client, leaves)),
    sequence: (limit) => database.transaction((client) => sequence(client, database.schema, limit)),
    async size() {
      const [state] = await database.query<{ size: string }>('SELECT size FROM log_state')
      return Number(state?.size ?? 0)
    },
    async countWaiting() {
      const [count] = await database.query<{ n: string }>('SELECT count(*) AS n FROM log_waiting')
      return Number(count?.n ?? 0)
    },
    async find(key) {
      const [known] = await database.query<{ index: string | null }>(
        'SELECT index FROM log_key WHERE key = $1',
        [toKey(key)],
      )
      return known && (known.index === null ? null : Number(known.index))
    },
    async tiles(places) {
      const rows = await database.query<{ level: number; index: string; hashes: Buffer }>(
        `SELECT log_tile.level, log_tile.index, hashes FROM log_tile
         JOIN unnest($1::integer[], $2::bigint[]) AS wanted (level, index) USING (level, index)`,
        [places.map(({ level }) => level), places.map(({ index }) => index)],
      )
      const found = new Map(rows.map(({ level, index, hashes }) => [`${level} ${index}`, hashes]))
      return places.map(({ level, index }) => found.get(`${level} ${index}`))
    },
    entries: (from, to) =>
      database.query('SELECT leaf, opening FROM log_entry WHERE index >= $1 AND index < $2 ORDER BY index', [
        from,
        to,
      ]),
    async forget(index) {
      const forgotten = await database.query(
        'UPDATE log_entry SET opening = NULL WHERE index = $1 AND opening IS NOT NULL RETURNING index',
        [index],
      )
      return forgotten.length > 0
    },
    async head() {
      const [state] = await database.query<{ head: string | null }>('SELECT head FROM log_state')
      return state?.head == null ? null : JSON.parse(state.head)
    },
    async putHead(head) {
      await database.query('UPDATE log_state SET head = $1', [JSON.stringify(head)])
    },
  }
}
