import type { Store } from '../../ports/store.ts'
import { createLogStore } from './log/postgresLog.ts'
import type { Database } from './postgres/database.ts'

/** Number of leaves per transaction. */
const BATCH = 1_000

/**
 * Copies the log: its leaves at their places, and the published checkpoint. Leaves that wait get their places first, in
 * the store that is copied, so that the copy continues the same tree.
 */
export async function copyLeaves(from: Store, database: Database): Promise<void> {
  const to = createLogStore(database)
  while ((await from.log.sequence(BATCH)) > 0);
  const size = await from.log.size()
  for (let at = 0; at < size; at += BATCH) {
    const entries = await from.log.entries(at, Math.min(at + BATCH, size))
    await to.add(entries.map((entry, place) => ({ ...entry, key: `copied ${at + place}` })))
    await to.sequence(BATCH)
  }
  // Only the newest decisions are looked up by their keys; those are copied with their documents.
  await database.query(`DELETE FROM log_key WHERE key LIKE 'copied %'`)
  const head = await from.log.head()
  if (head !== null) await to.putHead(head)
}
