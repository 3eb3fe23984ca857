import type { Incident } from '@touchstone402/shared'
import type { PoolClient, QueryResult } from 'pg'
import type { DailyMeasurements } from '../../../domain/facts/dailyMeasurements.ts'
import type { Fact, Time } from '../../../domain/facts/facts.ts'
import { DAY } from '../../../domain/facts/times.ts'
import type { Database } from './database.ts'
import { writeDays } from './days.ts'
import { numberEndpoints } from './endpoints.ts'
import { toKey } from './keyText.ts'
import { MIGRATION_LOCK } from './migrate.ts'
import { type MoveDeps, moveHost } from './moveHost.ts'
import { writeRecords } from './records.ts'

/** Progress of the move of old tables. */
export type MoveProgress = {
  /** Number of records moved so far. */
  readonly moved: number
  /** Estimated number of all records. */
  readonly total: number
}

/** Moves a batch behind a key. Returns the last key, or null if nothing is left, and the number of records. */
type Stage = (client: PoolClient, after: string) => Promise<{ last: string | null; moved: number }>

/** Number of rows per batch. */
const BATCH = 2_000
/** Reads the catalog, since `to_regclass` may not see yet that another process dropped a table. */
const IS_MOVING = `SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'moving'`

/**
 * Moves the records of tables before migration 0004 into today's. Each batch is one transaction that notes how far it
 * came, so that a later start resumes; several processes that start at once take turns.
 */
export async function moveOldTables(
  deps: MoveDeps & { readonly onProgress?: ((progress: MoveProgress) => void) | undefined },
): Promise<void> {
  const { database, partitions, onProgress } = deps
  if (!(await isMoving(database))) return
  const { end, times, total } = await measure(deps)
  await partitions.ensure(times)
  const stages: readonly Stage[] = [
    moveRecords,
    markOpenIncidents,
    moveDays,
    (client, after) => moveHosts(client, after, deps, end),
    (client, after) => moveUnjudged(client, after, deps, end),
  ]
  for (;;) {
    const moved = await database.transaction((client) => moveBatch(client, stages))
    if (moved === undefined) return
    onProgress?.({ moved, total: Math.max(moved, total) })
  }
}

async function isMoving(database: Database): Promise<boolean> {
  return (await database.query(IS_MOVING)).length > 0
}

/** Returns the number of records that were moved, undefined if all are. */
async function moveBatch(client: PoolClient, stages: readonly Stage[]): Promise<number | undefined> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
  if ((await client.query(IS_MOVING)).rows.length === 0) return undefined
  const found = await client.query<{ stage: number; after: string; moved: string }>('SELECT * FROM moving')
  const { stage = 0, after = '', moved: before = '0' } = found.rows[0] ?? {}
  const move = stages[stage]
  if (!move) {
    await client.query('DROP TABLE old_fact, old_daily, old_document, moving')
    return undefined
  }
  const { last, moved } = await move(client, after)
  const sum = Number(before) + moved
  await client.query('UPDATE moving SET stage = $1, after = $2, moved = $3', [
    last === null ? stage + 1 : stage,
    last ?? '',
    sum,
  ])
  return sum
}

/** Returns the end of the retention, the days that have looks behind it, and the number of all records. */
async function measure({ database, retentionDays }: MoveDeps) {
  const [newest] = await database.query<{ at: string | null }>(
    `SELECT max(at) AS at FROM old_fact WHERE kind = 'observation' AND NOT kept`,
  )
  const newestAt = Number(newest?.at ?? 0)
  const end = (Math.floor(newestAt / DAY) - retentionDays) * DAY
  const days = newestAt === 0 ? 0 : retentionDays + 1
  const times = Array.from({ length: days }, (_, index) => end + index * DAY)
  const [count] = await database.query<{ rows: string }>(
    `SELECT sum(greatest(reltuples, 0))::bigint AS rows FROM pg_class
     WHERE oid IN (to_regclass('old_fact'), to_regclass('old_daily'), to_regclass('old_document'))`,
  )
  return { end, times, total: Number(count?.rows ?? 0) }
}

async function moveRecords(client: PoolClient, after: string) {
  const { rows } = await client.query<{ seq: string; data: string }>(
    `SELECT seq, data FROM old_fact WHERE kind <> 'observation' AND seq > $1 ORDER BY seq LIMIT ${BATCH}`,
    [after === '' ? 0 : after],
  )
  await writeRecords(
    client,
    rows.map(({ data }): Fact => JSON.parse(data)),
  )
  return { last: rows.at(-1)?.seq ?? null, moved: rows.length }
}

async function markOpenIncidents(client: PoolClient, after: string) {
  const { rows } = await client.query<{ id: string; data: string }>(
    `SELECT id, data FROM published WHERE kind = 'incident' AND id > $1 ORDER BY id LIMIT ${BATCH}`,
    [after],
  )
  const open = rows.filter(({ data }) => {
    const { status }: Incident = JSON.parse(data)
    return status === 'open'
  })
  await client.query(`UPDATE published SET is_open = true WHERE kind = 'incident' AND id = ANY ($1)`, [
    open.map(({ id }) => id),
  ])
  return { last: rows.at(-1)?.id ?? null, moved: 0 }
}

async function moveDays(client: PoolClient, after: string) {
  const from: readonly string[] = after === '' ? ['', '', ''] : JSON.parse(after)
  const { rows } = await client.query<{ host: string; date: string; endpoint: string; data: string }>(
    `SELECT * FROM old_daily WHERE (host, date, endpoint) > ($1, $2, $3)
     ORDER BY host, date, endpoint LIMIT ${BATCH}`,
    [...from],
  )
  const days = rows.map(({ data }): DailyMeasurements => JSON.parse(data))
  await writeDays(client, await numberEndpoints(client, days), days, 'replace')
  const last = rows.at(-1)
  return { last: last ? JSON.stringify([last.host, last.date, last.endpoint]) : null, moved: rows.length }
}

/** Moves hosts with a document: their looks, and one document for each endpoint. */
async function moveHosts(client: PoolClient, after: string, deps: MoveDeps, end: Time) {
  let [last, moved]: [string | null, number] = [after, 0]
  while (last !== null && moved < BATCH) {
    const found: QueryResult<{ host: string; data: string }> = await client.query(
      'SELECT host, data FROM old_document WHERE host > $1 ORDER BY host LIMIT 1',
      [last],
    )
    const [row] = found.rows
    last = row?.host ?? null
    if (row) moved += 1 + (await moveHost(client, deps, row.host, JSON.parse(row.data), end))
  }
  return { last, moved }
}

/** Moves the looks at hosts without a document. */
async function moveUnjudged(client: PoolClient, after: string, deps: MoveDeps, end: Time) {
  let [last, moved]: [string | null, number] = [after, 0]
  for (let steps = 0; last !== null && moved < BATCH && steps < BATCH; steps++) {
    const found: QueryResult<{ host: string | null }> = await client.query(
      'SELECT min(subject) AS host FROM old_fact WHERE subject > $1',
      [last],
    )
    last = found.rows[0]?.host ?? null
    if (last === null) break
    const judged = await client.query('SELECT 1 FROM old_document WHERE host = $1', [toKey(last)])
    if (judged.rows.length === 0) moved += await moveHost(client, deps, last, undefined, end)
  }
  return { last, moved }
}
