import type { Incident } from '@touchstone402/shared'
import type { PoolClient } from 'pg'
import type { Observation, Time } from '../../../domain/facts/facts.ts'
import { groupBy } from '../../../domain/facts/groupBy.ts'
import type { Carried } from '../../../domain/facts/hostDocument.ts'
import { DAY } from '../../../domain/facts/times.ts'
import type { carry } from '../../../domain/judge/memory/carried.ts'
import { ANSWER_KEPT_MS } from '../claimRules.ts'
import type { Database } from './database.ts'
import { fromKey, toKey } from './keyText.ts'
import { decodeLooks, LOOK_COLUMNS, type LookRow } from './looks.ts'
import { dayOf, type Partitions } from './partitions.ts'

/** Result of a compaction. */
export type DatabaseCompaction = {
  /** Days whose partition was dropped. */
  readonly droppedDays: number
  /** Number of expired answers that were removed. */
  readonly droppedAnswers: number
}

/** Dependencies of `createRetention`. */
export type RetentionDeps = {
  readonly database: Database
  readonly partitions: Partitions
  readonly carry: typeof carry
  readonly retentionDays: number
  /** Unix time in ms. */
  readonly now: () => Time
}

/** Key of the advisory lock of the process that compacts. */
const LOCK = 7_402_402_003
/** Number of endpoints per transaction. */
const PAGE = 100
/** Number of shapes per transaction. */
const SHAPES = 1_000

/**
 * Creates the compaction: it drops the partitions of looks past the retention, counted from the newest look, after
 * it has carried the bases of their endpoints over them and has copied those that incidents cite. It resumes where it was
 * interrupted; of several processes one does it, and the others have nothing to do.
 */
export function createRetention(deps: RetentionDeps): () => Promise<DatabaseCompaction> {
  const { database, partitions, retentionDays, now } = deps

  const dropLooks = async (): Promise<number> => {
    const days = await partitions.days()
    const newest = await newestDay(database, days, now())
    if (newest === undefined) return 0
    const end = (newest - retentionDays) * DAY
    const old = days.filter((day) => day * DAY < end)
    for (const day of old) {
      await takeUp(deps, `look_${day}`, (day + 1) * DAY)
      await partitions.drop(day)
    }
    await takeUp(deps, 'look_other', end)
    await database.query('DELETE FROM look_other WHERE at < $1', [end])
    await dropShapes(database, end - DAY)
    return old.length
  }

  return async () => {
    const client = await database.connect()
    try {
      const { rows } = await client.query<{ is: boolean }>('SELECT pg_try_advisory_lock($1) AS is', [LOCK])
      if (!rows[0]?.is) return { droppedDays: 0, droppedAnswers: 0 }
      const droppedDays = await dropLooks()
      const dropped = await database.query(
        'UPDATE claim SET answer = NULL WHERE answer IS NOT NULL AND updated_at <= $1 RETURNING id',
        [now() - ANSWER_KEPT_MS],
      )
      return { droppedDays, droppedAnswers: dropped.length }
    } finally {
      // Ends the connection, and its lock with it.
      client.release(true)
    }
  }
}

/** Returns the day of the newest look. One ahead of the clock does not count, lest it drop all others. */
async function newestDay(
  database: Database,
  days: readonly number[],
  now: Time,
): Promise<number | undefined> {
  const limit = now + DAY
  const [other] = await database.query<{ at: string | null }>(
    'SELECT max(at) AS at FROM look_other WHERE at < $1',
    [limit],
  )
  const found = other?.at == null ? [] : [dayOf(Number(other.at))]
  for (const day of days.filter((one) => one * DAY < limit).reverse()) {
    const [any] = await database.query(`SELECT 1 FROM look_${day} LIMIT 1`)
    if (any) return Math.max(day, ...found)
  }
  return found[0]
}

/** Carries the bases of a partition's endpoints over its looks before a time, and keeps the cited ones. */
async function takeUp({ database, carry }: RetentionDeps, table: string, end: Time): Promise<void> {
  let last = -1
  for (;;) {
    const page = await database.query<{ number: number; endpoint: string }>(
      `SELECT number, endpoint.endpoint FROM endpoint JOIN (
         SELECT endpoint FROM ${table} WHERE endpoint > $1 AND at < $2 GROUP BY endpoint ORDER BY endpoint LIMIT ${PAGE}
       ) AS looked ON looked.endpoint = number ORDER BY number`,
      [last, end],
    )
    const numbers = page.map(({ number }) => number)
    if (numbers.length > 0) {
      await database.transaction(async (client) => {
        const query = async <Row extends Record<string, unknown>>(text: string, values: unknown[]) =>
          (await client.query<Row>(text, values)).rows
        const rows = await query<LookRow>(
          `SELECT ${LOOK_COLUMNS} FROM ${table} WHERE endpoint = ANY ($1) AND at < $2 ORDER BY endpoint, at, seq`,
          [numbers, end],
        )
        const looks = await decodeLooks(query, rows)
        const byEndpoint = groupBy(looks, ({ row }) => row.endpoint)
        const old = new Map(
          [...byEndpoint].map(([number, group]) => [number, group.map(({ observation }) => observation)]),
        )
        await keepCited(
          client,
          page.map(({ endpoint }) => fromKey(endpoint)),
          old,
        )
        await carryBases(client, carry, old, end)
      })
    }
    last = numbers.at(-1) ?? last
    if (numbers.length < PAGE) return
  }
}

/** Looks by their endpoint's number, oldest first. */
type OldLooks = ReadonlyMap<number, readonly Observation[]>

/** Copies the looks that incidents of these endpoints cite. */
async function keepCited(client: PoolClient, endpoints: readonly string[], looks: OldLooks): Promise<void> {
  if (looks.size === 0) return
  const incidents = await client.query<{ data: string }>(
    `SELECT data FROM published WHERE kind = 'incident' AND endpoint = ANY ($1)`,
    [endpoints.map(toKey)],
  )
  const cited = new Set(
    incidents.rows.flatMap(({ data }) => {
      const incident: Incident = JSON.parse(data)
      return incident.observations.map((id) => `${incident.endpoint} ${id}`)
    }),
  )
  if (cited.size === 0) return
  for (const [number, group] of looks) {
    for (const look of group.filter(({ endpoint, id }) => cited.has(`${endpoint} ${id}`))) {
      await client.query(
        `INSERT INTO kept_look (endpoint, id, at, data) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
        [number, toKey(look.id), look.at, JSON.stringify(look)],
      )
    }
  }
}

/** Carries bases over old looks, apart from those that they have taken up before. */
async function carryBases(
  client: PoolClient,
  carryOn: typeof carry,
  looks: OldLooks,
  end: Time,
): Promise<void> {
  const { rows } = await client.query<{ endpoint: number; until: string; data: string | null }>(
    'SELECT endpoint, until, data FROM base WHERE endpoint = ANY ($1)',
    [[...looks.keys()]],
  )
  const bases = new Map(rows.map((row) => [row.endpoint, row]))
  for (const [number, group] of looks) {
    const base = bases.get(number)
    const until = Number(base?.until ?? Number.MIN_SAFE_INTEGER)
    const added = group.filter(({ at }) => at >= until)
    const before = base?.data == null ? undefined : JSON.parse(base.data)
    const after = added.length === 0 ? before : carryOn(before, added).carried
    await putBase(client, number, after, Math.max(until, end))
  }
}

/** Replaces the base of an endpoint; looks before `until` are dropped. */
export async function putBase(
  client: PoolClient,
  endpoint: number,
  base: Carried | undefined,
  until: Time,
): Promise<void> {
  await client.query(
    `INSERT INTO base (endpoint, until, data) VALUES ($1, $2, $3)
     ON CONFLICT (endpoint) DO UPDATE SET until = excluded.until, data = excluded.data`,
    [endpoint, until, base === undefined ? null : JSON.stringify(base)],
  )
}

/** Deletes shapes that no look has had since a time. */
async function dropShapes(database: Database, before: Time): Promise<void> {
  for (;;) {
    const dropped = await database.query(
      `DELETE FROM shape WHERE number IN (
         SELECT number FROM shape WHERE used_at < $1 ORDER BY used_at LIMIT ${SHAPES} FOR UPDATE SKIP LOCKED)
       RETURNING number`,
      [before],
    )
    if (dropped.length < SHAPES) return
  }
}
