import type { Observation, PublishedIncident } from '../../../domain/facts/facts.ts'
import type { Carried } from '../../../domain/facts/hostDocument.ts'
import { DAY } from '../../../domain/facts/times.ts'
import type { CarriedOn } from '../../../domain/judge/memory/carried.ts'
import type { Transaction } from './createWriter.ts'
import { recordsOf } from './feeds.ts'
import { type Key, keyOf, text } from './keys.ts'
import { keepCited, type LooksMeta, readLooks } from './looks.ts'
import { read, toBytes } from './source.ts'

/** Options of the retention. */
export type Retention = {
  readonly retentionDays: number
  /** Carries what a judgement needs over looks. */
  carry(before: Carried | undefined, looks: readonly Observation[]): CarriedOn
}

/** Looks that one call drops at most; the next call goes on. */
const MAX_DROPPED = 1_000

export const baseKey = (endpoint: string) => keyOf('b', text(endpoint))

/**
 * Drops looks older than the retention before the newest look of a subject, at most once a day.
 * @returns the dropped looks, oldest first
 */
export async function dropOldLooks(
  tx: Transaction,
  subject: Key,
  meta: LooksMeta,
  retentionDays: number,
): Promise<Observation[]> {
  const cut = meta.newestAt - retentionDays * DAY
  if (meta.oldestAt >= cut || meta.newestAt - meta.droppedAt < DAY) return []
  const dropped: Observation[] = []
  for await (const { key, look } of readLooks(tx, meta.number, { to: cut - 1, limit: MAX_DROPPED })) {
    tx.delete(key)
    dropped.push(look)
  }
  // The next call goes on where this one stopped.
  const isDone = dropped.length < MAX_DROPPED
  const oldestAt = isDone ? cut : (dropped.at(-1)?.at ?? cut)
  tx.put(subject, toBytes({ ...meta, oldestAt, droppedAt: isDone ? meta.newestAt : meta.droppedAt }))
  return dropped
}

/** Stores what the dropped looks of an endpoint carry, and keeps those that incidents cite. */
export async function carryDropped(
  tx: Transaction,
  endpoint: string,
  number: number,
  dropped: readonly Observation[],
  carry: Retention['carry'],
): Promise<void> {
  if (dropped.length === 0) return
  const cited = await findCited(tx, endpoint)
  for (const look of dropped) if (cited.has(look.id)) keepCited(tx, number, look)
  const base = await read<Carried>(tx, baseKey(endpoint))
  // A look that came late cannot be carried in its place.
  const looks = dropped.filter(({ at }) => base === undefined || at >= base.lastAt)
  if (looks.length > 0) tx.put(baseKey(endpoint), toBytes(carry(base, looks).carried))
}

async function findCited(tx: Transaction, endpoint: string): Promise<ReadonlySet<string>> {
  const published = await recordsOf<PublishedIncident>(tx, 'incident', endpoint)
  return new Set(published.flatMap(({ incident }) => incident.observations))
}
