import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningPostgres, sql } from '@touchstone402/server/testing'
import type { ServerProcess } from '../../support/servers.ts'
import { withSql } from '../../support/withSql.ts'
import type { Sellers } from './sellers.ts'

/** How long the database is gone, in ms. */
const PAUSE_MS = 2000
/** Probes after which the crawl counts as resumed. */
const PROBES = 50
const GIVE_UP_AFTER_MS = 120_000

export type Restarted = {
  readonly restarts: number
  readonly processesEnded: number
  /** Restarts after which probing or answering did not go on. */
  readonly notResumed: number
  /** Longest time in ms from the database's return to the probes and answers that follow. */
  readonly resumedAfterMs: number
}

/**
 * Makes all endpoints due and stops PostgreSQL under the crawl: orderly, at once, and by ending every connection.
 * @param members an `all` process first, and workers
 */
export async function restartUnder(
  database: RunningPostgres,
  members: readonly [ServerProcess, ...ServerProcess[]],
  sellers: Sellers,
): Promise<Restarted> {
  const place = { databaseUrl: database.url, dataDir: '' }
  const ways = [
    () => database.restart('fast', PAUSE_MS),
    () => database.restart('immediate', PAUSE_MS),
    () =>
      withSql(place, (db) =>
        sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()`.execute(db),
      ),
  ]
  await withSql(place, async (db) => {
    await sql`update endpoint set due_at = 1`.execute(db)
    await sql`update host set due_at = 1`.execute(db)
  })
  const resumed = async (): Promise<boolean> => {
    const enough = sellers.quotes() + PROBES
    const end = performance.now() + GIVE_UP_AFTER_MS
    const isAnswered = () => fetch(`${members[0].origin}/readyz`).then(({ ok }) => ok)
    while (performance.now() < end) {
      if (sellers.quotes() >= enough && (await isAnswered().catch(() => false))) return true
      await sleep(20)
    }
    return false
  }
  let notResumed = (await resumed()) ? 0 : 1
  let resumedAfterMs = 0
  for (const stop of ways) {
    await stop()
    const returnedAt = performance.now()
    if (!(await resumed())) notResumed += 1
    resumedAfterMs = Math.max(resumedAfterMs, Math.round(performance.now() - returnedAt))
  }
  const processesEnded = members.filter((member) => member.hasEnded()).length
  return { restarts: ways.length, processesEnded, notResumed, resumedAfterMs }
}
