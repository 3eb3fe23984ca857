import type { PoolClient } from 'pg'
import type { Time } from '../../../domain/facts/facts.ts'
import type { EndpointState, HostSummary } from '../../../domain/facts/hostDocument.ts'
import { type HostIndex, indexHost, updateSummary } from '../../../domain/publish/hostIndex.ts'
import { addDue } from './due.ts'
import { toKey } from './keyText.ts'
import { prepared } from './prepared.ts'

/** Contribution of a host to totals and ranks, as stored with its summary. */
type Indexed = {
  readonly counts: readonly (readonly [name: string, n: number])[]
  readonly ranks: readonly (readonly [index: string, key: string])[]
}
type Row = { data: string; indexed: string }
type Difference = { readonly before: Indexed; readonly after: Indexed }

const NOTHING: Indexed = { counts: [], ranks: [] }

/** Number of hosts that one transaction brings up to date. */
export const REFRESHED = 200

/**
 * Replaces endpoints' rows in the summary of their host, and brings totals and ranks up to date. Locks the summary
 * until the transaction ends, and totals last, since all hosts share them.
 */
export async function updateHost(
  client: PoolClient,
  states: readonly [EndpointState, ...EndpointState[]],
): Promise<void> {
  const host = toKey(states[0].host)
  const find = () => client.query<Row>('SELECT data, indexed FROM summary WHERE host = $1 FOR UPDATE', [host])
  let [row] = (await find()).rows
  if (!row) {
    // Of two processes that know a new host at once, the second waits here.
    await client.query(
      `INSERT INTO summary (host, updated_at, data, indexed) VALUES ($1, 0, '', '') ON CONFLICT (host) DO NOTHING`,
      [host],
    )
    ;[row] = (await find()).rows
  }
  const known: HostSummary | undefined = row?.data ? JSON.parse(row.data) : undefined
  const [first, ...others] = states
  const summary = others.reduce<HostSummary>(updateSummary, updateSummary(known, first))
  const index = indexHost(summary, summary.updatedAt)
  const after = toIndexed(index)
  await client.query(
    prepared(
      'UPDATE summary SET updated_at = $2, valid_until = $3, data = $4, indexed = $5 WHERE host = $1',
      [host, summary.updatedAt, validUntil(index), JSON.stringify(summary), JSON.stringify(after)],
    ),
  )
  // Its first document makes a host's own documents due.
  if (!known) await addDue(client, 'documents', [{ key: first.host, at: first.derivedAt }])
  await apply(client, [{ before: row?.indexed ? JSON.parse(row.indexed) : NOTHING, after }])
}

/**
 * Brings hosts with an expired verdict up to a time, `REFRESHED` of them at most, and leaves those that another
 * process is busy with to it. Returns their number.
 */
export async function refreshHosts(client: PoolClient, now: Time): Promise<number> {
  const { rows } = await client.query<Row & { host: string }>(
    `SELECT host, data, indexed FROM summary WHERE valid_until <= $1
     ORDER BY valid_until LIMIT $2 FOR UPDATE SKIP LOCKED`,
    [now, REFRESHED],
  )
  const refreshed = rows.map(({ host, data, indexed }) => {
    const index = indexHost(JSON.parse(data), now)
    const before: Indexed = JSON.parse(indexed)
    return { host, index, before, after: toIndexed(index) }
  })
  await client.query(
    `UPDATE summary SET valid_until = row.until, indexed = row.indexed
     FROM unnest($1::text[], $2::bigint[], $3::text[]) AS row (host, until, indexed) WHERE summary.host = row.host`,
    [
      refreshed.map(({ host }) => host),
      refreshed.map(({ index }) => validUntil(index)),
      refreshed.map(({ after }) => JSON.stringify(after)),
    ],
  )
  await apply(client, refreshed)
  return rows.length
}

/** Adds the differences to ranks and totals; totals in the order of their names, so that no two transactions deadlock. */
async function apply(client: PoolClient, differences: readonly Difference[]): Promise<void> {
  const textOf = ([index, key]: Indexed['ranks'][number]) => `${index}\n${key}`
  const dropped: Indexed['ranks'][number][] = []
  const added: Indexed['ranks'][number][] = []
  const sums = new Map<string, number>()
  for (const { before, after } of differences) {
    const [known, wanted] = [new Set(before.ranks.map(textOf)), new Set(after.ranks.map(textOf))]
    dropped.push(...before.ranks.filter((rank) => !wanted.has(textOf(rank))))
    added.push(...after.ranks.filter((rank) => !known.has(textOf(rank))))
    for (const [name, n] of before.counts) sums.set(name, (sums.get(name) ?? 0) - n)
    for (const [name, n] of after.counts) sums.set(name, (sums.get(name) ?? 0) + n)
  }
  if (dropped.length + added.length > 0) {
    // A key that is dropped is never added too.
    await client.query(
      prepared(
        `WITH dropped AS (
           DELETE FROM rank USING unnest($1::text[], $2::text[]) AS row (index, key)
           WHERE rank.index = row.index AND rank.key = row.key)
         INSERT INTO rank (index, key) SELECT * FROM unnest($3::text[], $4::text[]) ON CONFLICT DO NOTHING`,
        [...columnsOf(dropped), ...columnsOf(added)],
      ),
    )
  }
  await addTotals(
    client,
    [...sums].filter(([, n]) => n !== 0),
  )
}

const columnsOf = (ranks: Indexed['ranks']) => [
  ranks.map(([index]) => index),
  ranks.map(([, key]) => toKey(key)),
]

async function addTotals(client: PoolClient, sums: readonly (readonly [string, number])[]): Promise<void> {
  if (sums.length === 0) return
  const names = sums.map(([name]) => toKey(name))
  await client.query(
    prepared(
      `INSERT INTO total (name, n)
       SELECT name, n FROM unnest($1::text[], $2::bigint[]) AS row (name, n) ORDER BY name COLLATE "C"
       ON CONFLICT (name) DO UPDATE SET n = total.n + excluded.n`,
      [names, sums.map(([, n]) => n)],
    ),
  )
  if (sums.some(([, n]) => n < 0)) {
    await client.query(prepared('DELETE FROM total WHERE name = ANY ($1) AND n = 0', [names]))
  }
}

const toIndexed = ({ counts, entries }: HostIndex): Indexed => ({
  counts: [...counts],
  ranks: entries.map(({ index, key }) => [index, key]),
})

const validUntil = ({ validUntil: until }: HostIndex): Time | null =>
  until === Number.POSITIVE_INFINITY ? null : until
