import type { Incident } from '@touchstone402/shared'
import type { PoolClient } from 'pg'
import { addDays, type DailyMeasurements, foldDays } from '../../../domain/facts/dailyMeasurements.ts'
import type { Observation } from '../../../domain/facts/facts.ts'
import { keepObservations } from '../../../domain/facts/keepObservations.ts'
import { DAY } from '../../../domain/facts/times.ts'
import { ANSWER_KEPT_MS } from '../claimRules.ts'
import { dropStaleAnswers } from './createPostgresClaims.ts'
import { insertFacts } from './createPostgresFacts.ts'
import type { Database } from './database.ts'

/** What one round of compaction did. */
export type DatabaseCompaction = {
  /** Hosts whose old observations were folded. */
  readonly foldedHosts: number
  /** Delivered answers that were let go of. */
  readonly droppedAnswers: number
}

/**
 * Folds observations older than the retention into days, one host a transaction, and lets go of old answers.
 * Several processes may do so at once: a host that another one is folding is waited for and then found folded.
 */
export async function compactDatabase(
  database: Database,
  retentionDays: number,
  now: number,
): Promise<DatabaseCompaction> {
  const [newest] = await database.query<{ at: string | null }>(
    "SELECT max(at) AS at FROM fact WHERE kind = 'observation'",
  )
  const newestAt = Number(newest?.at ?? 0)
  const before = Math.floor((newestAt - retentionDays * DAY) / DAY) * DAY
  const hosts = await database.query<{ subject: string }>(
    "SELECT DISTINCT subject FROM fact WHERE kind = 'observation' AND NOT kept AND at < $1",
    [before],
  )
  for (const { subject } of hosts) {
    await database.transaction((client) => foldHost(client, subject, before))
  }
  const droppedAnswers = await dropStaleAnswers(database, now - ANSWER_KEPT_MS)
  return { foldedHosts: hosts.length, droppedAnswers }
}

async function foldHost(client: PoolClient, host: string, before: number): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 402))', [host])
  const removed = await client.query<{ data: string; at: string; seq: string }>(
    `DELETE FROM fact WHERE subject = $1 AND kind = 'observation' AND NOT kept AND at < $2
     RETURNING data, at, seq`,
    [host, before],
  )
  const old = removed.rows
    .sort((a, b) => Number(a.at) - Number(b.at) || Number(a.seq) - Number(b.seq))
    .map(({ data }): Observation => JSON.parse(data))
  const incidents = await client.query<{ data: string }>(
    "SELECT data FROM published WHERE host = $1 AND kind = 'incident'",
    [host],
  )
  const cited = new Set(
    incidents.rows.flatMap(({ data }) => {
      const incident: Incident = JSON.parse(data)
      return incident.observations
    }),
  )
  for (const day of foldDays(old)) await addDaily(client, day)
  const kept = keepObservations(old, cited)
  await insertFacts(
    client,
    old.filter((one) => kept.has(one)),
    true,
  )
}

/** Writes a day within a transaction; one that is there already is added up with it. */
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
