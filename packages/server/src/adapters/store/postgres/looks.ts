import { createHash } from 'node:crypto'
import type { PoolClient } from 'pg'
import type { Observation, Time } from '../../../domain/facts/facts.ts'
import { DAY } from '../../../domain/facts/times.ts'
import type { Store } from '../../../ports/store.ts'
import { decodeLook, encodeLook } from '../looks/lookBytes.ts'
import { joinLook, readShape, splitLook } from '../looks/splitLook.ts'
import type { Database } from './database.ts'
import { type Numbers, numberOf } from './endpoints.ts'
import { toKey } from './keyText.ts'
import { prepared } from './prepared.ts'

/** The part of a store that reads looks. */
export type Looks = Pick<Store, 'looks' | 'cited' | 'base'>

/** A stored look. */
export type LookRow = { endpoint: number; at: string; seq: string; data: Buffer }

export const LOOK_COLUMNS = 'endpoint, at, seq, data'

/** Runs a query: of the pool, or of a transaction. */
type Query = <Row extends Record<string, unknown>>(text: string, values: unknown[]) => Promise<Row[]>

/** Number of looks per query. */
const PAGE = 1_000

/** Creates it. */
export function createLooks(database: Database): Looks {
  const find = async (endpoint: string) => {
    const [row] = await database.query<{ number: number; until: string | null; base: string | null }>(
      `SELECT endpoint.number, base.until, base.data AS base
       FROM endpoint LEFT JOIN base ON base.endpoint = endpoint.number WHERE endpoint.endpoint = $1`,
      [toKey(endpoint)],
    )
    return row
  }
  return {
    async *looks(endpoint, { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = {}) {
      const found = await find(endpoint)
      if (!found) return
      // Looks that the base already counts are about to be dropped.
      let last = [Math.max(from, Number(found.until ?? Number.MIN_SAFE_INTEGER)), '-1']
      for (let isMore = true; isMore; ) {
        const rows = await database.query<LookRow>(
          `SELECT ${LOOK_COLUMNS} FROM look
           WHERE endpoint = $1 AND at >= $2 AND (at, seq) > ($2, $3) AND at <= $4 ORDER BY at, seq LIMIT ${PAGE}`,
          [found.number, last[0], last[1], Math.min(to, Number.MAX_SAFE_INTEGER)],
        )
        for (const { observation } of await decodeLooks(database.query, rows)) yield observation
        const end = rows.at(-1)
        isMore = end !== undefined && rows.length === PAGE
        if (end) last = [Number(end.at), end.seq]
      }
    },
    async cited(endpoint, ids) {
      const found = ids.length === 0 ? undefined : await find(endpoint)
      if (!found) return []
      const kept = await database.query<{ data: string }>(
        'SELECT data FROM kept_look WHERE endpoint = $1 AND id = ANY ($2)',
        [found.number, ids.map(toKey)],
      )
      const cited = new Map(kept.map(({ data }) => parse(data)).map((look) => [look.id, look]))
      if (cited.size < new Set(ids).size) {
        const rows = await database.query<LookRow>(
          `SELECT ${LOOK_COLUMNS} FROM look WHERE endpoint = $1 ORDER BY at, seq`,
          [found.number],
        )
        const wanted = new Set(ids)
        for (const { observation } of await decodeLooks(database.query, rows))
          if (wanted.has(observation.id)) cited.set(observation.id, observation)
      }
      return [...cited.values()].sort((a, b) => a.at - b.at)
    },
    async base(endpoint) {
      const base = (await find(endpoint))?.base ?? null
      return base === null ? undefined : JSON.parse(base)
    },
  }
}

const parse = (data: string): Observation => JSON.parse(data)

/** Puts looks together again, in order. A look whose shape is gone was dropped meanwhile. */
export async function decodeLooks(
  query: Query,
  rows: readonly LookRow[],
): Promise<{ readonly row: LookRow; readonly observation: Observation }[]> {
  if (rows.length === 0) return []
  const looks = rows.map((row) => ({ row, ...decodeLook(row.data, Number(row.at)) }))
  const numbers = [...new Set(looks.map(({ shape }) => shape))]
  const found = await query<{ number: string; data: string }>(
    'SELECT number, data FROM shape WHERE number = ANY ($1)',
    [numbers],
  )
  const shapes = new Map(found.map(({ number, data }) => [Number(number), readShape(data)]))
  return looks.flatMap(({ row, shape, look }) => {
    const known = shapes.get(shape)
    return known === undefined ? [] : [{ row, observation: joinLook(known, look) }]
  })
}

/** Writes looks of endpoints that have numbers. */
export async function writeLooks(
  client: PoolClient,
  numbers: Numbers,
  looks: readonly Observation[],
): Promise<void> {
  if (looks.length === 0) return
  const encoded = looks.map((observation) => {
    const { shape, look } = splitLook(observation)
    const endpoint = numberOf(numbers, observation.endpoint)
    const hash = createHash('sha256').update(shape).digest().subarray(0, 16)
    return { endpoint, at: observation.at, shape, hash, key: `${endpoint} ${hash.toString('hex')}`, look }
  })
  const shapes = await numberShapes(client, encoded)
  await client.query(
    prepared(
      `INSERT INTO look (endpoint, at, data)
     SELECT endpoint, at, data
     FROM unnest($1::integer[], $2::bigint[], $3::bytea[]) WITH ORDINALITY AS row (endpoint, at, data, place)
     ORDER BY place`,
      [
        encoded.map(({ endpoint }) => endpoint),
        encoded.map(({ at }) => at),
        encoded.map(({ key, look }) => Buffer.from(encodeLook(Number(shapes.get(key)), look))),
      ],
    ),
  )
}

type Shaped = { endpoint: number; at: Time; shape: string; hash: Buffer; key: string }

/**
 * Returns the numbers of shapes, and writes those that are missing. Retention deletes shapes by the time of their last
 * use, which is noted once a day.
 */
async function numberShapes(client: PoolClient, looks: readonly Shaped[]): Promise<Map<string, string>> {
  const used = new Map<string, Shaped>()
  for (const look of looks) if ((used.get(look.key)?.at ?? -1) <= look.at) used.set(look.key, look)
  const all = [...used.values()]
  const { rows } = await client.query<{ number: string; key: string; used_at: string }>(
    prepared(
      `SELECT number, used_at, shape.endpoint || ' ' || encode(shape.hash, 'hex') AS key
     FROM unnest($1::integer[], $2::bytea[]) AS row (endpoint, hash)
       JOIN shape ON shape.endpoint = row.endpoint AND shape.hash = row.hash`,
      [all.map(({ endpoint }) => endpoint), all.map(({ hash }) => hash)],
    ),
  )
  const known = new Map(rows.map((row) => [row.key, row]))
  const stale = all.filter(({ key, at }) => {
    const row = known.get(key)
    return !row || Number(row.used_at) < at - DAY
  })
  const numbers = new Map(rows.map(({ key, number }) => [key, number]))
  if (stale.length === 0) return numbers
  const sorted = stale.sort((a, b) => (a.key < b.key ? -1 : 1))
  const written = await client.query<{ number: string; key: string }>(
    `INSERT INTO shape (endpoint, hash, used_at, data)
     SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bigint[], $4::text[])
     ON CONFLICT (endpoint, hash) DO UPDATE SET used_at = greatest(shape.used_at, excluded.used_at)
     RETURNING number, endpoint || ' ' || encode(hash, 'hex') AS key`,
    [
      sorted.map(({ endpoint }) => endpoint),
      sorted.map(({ hash }) => hash),
      sorted.map(({ at }) => at),
      sorted.map(({ shape }) => shape),
    ],
  )
  for (const { key, number } of written.rows) numbers.set(key, number)
  return numbers
}
