import type { Incident } from '@touchstone402/shared'
import type { PoolClient } from 'pg'
import { addDays, type DailyMeasurements } from '../../../domain/facts/dailyMeasurements.ts'
import type { Observation } from '../../../domain/facts/facts.ts'
import { keepObservations } from '../../../domain/facts/keepObservations.ts'
import { DAY } from '../../../domain/facts/times.ts'
import { foldSettled } from '../../../domain/judge/refusals.ts'
import { ANSWER_KEPT_MS } from '../claimRules.ts'
import { insertFacts } from './createPostgresFacts.ts'
import type { Database } from './database.ts'

/** Result of a compaction. */
export type DatabaseCompaction = {
  /** Number of hosts with folded observations. */
  readonly foldedHosts: number
  /** Number of expired answers that were removed. */
  readonly droppedAnswers: number
}

/**
 * Folds observations past the retention into days, one host per transaction, and removes expired answers.
 * Processes may run it concurrently: each waits for a host that another one is folding and then finds nothing to fold.
 */
export async function compactDatabase(
  database: Database,
  retentionDays: number,
  now: number,
): Promise<DatabaseCompaction> {
  const [newest] = await database.query<{ at: string | null }>(
    "SELECT max(at) AS at FROM fact WHERE kind = 'observation'",
  )
  const before = Math.floor((Number(newest?.at ?? 0) - retentionDays * DAY) / DAY) * DAY
  const hosts = await database.query<{ subject: string }>(
    "SELECT DISTINCT subject FROM fact WHERE kind = 'observation' AND NOT kept AND at < $1",
    [before],
  )
  for (const { subject } of hosts) {
    await database.transaction((client) => foldHost(client, subject, before))
  }
  const dropped = await database.query(
    'UPDATE claim SET answer = NULL WHERE answer IS NOT NULL AND updated_at <= $1 RETURNING id',
    [now - ANSWER_KEPT_MS],
  )
  return { foldedHosts: hosts.length, droppedAnswers: dropped.length }
}

async function foldHost(client: PoolClient, host: string, before: number): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 402))', [host])
  const kept = await client.query<{ data: string }>(
    "SELECT data FROM fact WHERE subject = $1 AND kind = 'observation' AND kept AND at < $2",
    [host, before],
  )
  const removed = await client.query<{ data: string }>(
    `WITH removed AS (
       DELETE FROM fact WHERE subject = $1 AND kind = 'observation' AND NOT kept AND at < $2
       RETURNING data, at, seq)
     SELECT data FROM removed ORDER BY at, seq`,
    [host, before],
  )
  const old = removed.rows.map(parseObservation)
  const incidents = await client.query<{ data: string }>(
    "SELECT data FROM published WHERE host = $1 AND kind = 'incident'",
    [host],
  )
  const cited = incidents.rows.flatMap(({ data }) => {
    const incident: Incident = JSON.parse(data)
    return incident.observations
  })
  const known = [...kept.rows.map(parseObservation), ...old].sort((a, b) => a.at - b.at)
  for (const day of foldSettled(known, old)) await addDaily(client, day)
  const toKeep = keepObservations(old, new Set(cited))
  const inOrder = old.filter((one) => toKeep.has(one))
  await insertFacts(client, inOrder, true)
}

const parseObservation = ({ data }: { readonly data: string }): Observation => JSON.parse(data)

/** Adds a day within a transaction, merging it with one of the same endpoint and date. */
export async function addDaily(client: PoolClient, day: DailyMeasurements): Promise<void> {
  const key = [day.host, day.date, day.endpoint]
  const { rows } = await client.query<{ data: string }>(
    'SELECT data FROM daily WHERE host = $1 AND date = $2 AND endpoint = $3 FOR UPDATE',
    key,
  )
  const [known] = rows
  const sum = known ? addDays(JSON.parse(known.data), day) : day
  await client.query(
    `INSERT INTO daily (host, date, endpoint, data) VALUES ($1, $2, $3, $4)
     ON CONFLICT (host, date, endpoint) DO UPDATE SET data = excluded.data`,
    [...key, JSON.stringify(sum)],
  )
}
