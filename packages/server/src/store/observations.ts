import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { DailyMeasurements } from '../facts/dailyMeasurements.ts'
import type { Observation, Time } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { PROBES_KEPT_MS } from '../facts/times.ts'
import type { Db, Tables } from './schema.ts'
import { slicesOf } from './slices.ts'
import type { Reader, Tx } from './tx.ts'

/** Fields stored per probe; the others are in the shape that it shares with its neighbours. */
type Own = Pick<Observation, 'id' | 'at' | 'client'> & {
  readonly latencyMs?: number | null
  /** `resourceAsked.at`. */
  readonly askedAt?: Time
  readonly gapMs?: number
}
type Shape = Omit<Observation, keyof Own>

/** Splits a probe. Fields in another order give another shape, which costs its bytes and nothing else. */
function split(observation: Observation): { readonly shape: string; readonly own: Own } {
  const { id, at, client, latencyMs, gapMs, resourceAsked, endpoint: _, host: _host, ...rest } = observation
  const { at: askedAt, ...asked } = resourceAsked ?? {}
  const shape = JSON.stringify({ ...rest, ...(resourceAsked !== undefined && { resourceAsked: asked }) })
  const times = { ...(askedAt !== undefined && { askedAt }), ...(gapMs !== undefined && { gapMs }) }
  return { shape, own: { id, at, client, latencyMs, ...times } }
}

/** Adds probes of one endpoint, and drops those that are too old. */
export async function addObservations(
  { db }: Tx,
  endpointId: number,
  observations: readonly Observation[],
): Promise<void> {
  const times = observations.map(({ at }) => at)
  const newest = Math.max(...times)
  const taken = await db
    .selectFrom('look')
    .select((eb) => ['at', eb.fn.max('n').as('n')])
    .where('endpoint_id', '=', endpointId)
    .where('at', 'in', [...new Set(times)])
    .groupBy('at')
    .execute()
  const places = new Map(taken.map(({ at, n }) => [at, n]))
  const rows: Tables['look'][] = []
  for (const observation of observations) {
    const { shape, own } = split(observation)
    const n = (places.get(own.at) ?? -1) + 1
    places.set(own.at, n)
    rows.push({
      endpoint_id: endpointId,
      at: own.at,
      n,
      id: own.id,
      client: own.client,
      latency_ms: own.latencyMs ?? null,
      asked_at: own.askedAt ?? null,
      gap_ms: own.gapMs ?? null,
      shape: await numberShape(db, endpointId, shape),
      is_cited: null,
    })
  }
  for (const some of slicesOf(rows)) await db.insertInto('look').values(some).execute()
  await dropOld(db, endpointId, newest - PROBES_KEPT_MS)
}

/** Returns the number of a shape, which is added if the endpoint has not had it. */
async function numberShape(db: Db, endpointId: number, shape: string): Promise<number> {
  const hash = createHash('sha256').update(shape).digest('base64url').slice(0, 22)
  const known = await db
    .selectFrom('shape')
    .select('n')
    .where('endpoint_id', '=', endpointId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  if (known !== undefined) return known.n
  const { n } = await db
    .insertInto('shape')
    .values((eb) => ({
      endpoint_id: endpointId,
      n: eb
        .selectFrom('shape')
        .select(sql<number>`coalesce(max(n), -1) + 1`.as('next'))
        .where('endpoint_id', '=', endpointId),
      hash,
      shape_json: shape,
    }))
    .returning('n')
    .executeTakeFirstOrThrow()
  return n
}

/** Drops probes from before a time, unless an incident or a reason of the current state cites them. */
async function dropOld(db: Db, endpointId: number, before: Time): Promise<void> {
  const old = await db
    .selectFrom('look')
    .select('id')
    .where('endpoint_id', '=', endpointId)
    .where('at', '<', before)
    .where('is_cited', 'is', null)
    .execute()
  if (old.length === 0) return
  const cited = await readStanding({ db }, endpointId)
  const ids = old.flatMap(({ id }) => (cited.has(id) ? [] : [id]))
  for (const some of slicesOf(ids))
    await db
      .deleteFrom('look')
      .where('endpoint_id', '=', endpointId)
      .where('at', '<', before)
      .where('look.id', 'in', some)
      .execute()
  if (ids.length === 0) return
  await db
    .deleteFrom('shape')
    .where('endpoint_id', '=', endpointId)
    .where('n', 'not in', (eb) => eb.selectFrom('look').select('shape').where('endpoint_id', '=', endpointId))
    .execute()
}

/** Reads the ids that the reasons of an endpoint's current state cite. */
export async function readStanding({ db }: Reader, endpointId: number): Promise<ReadonlySet<string>> {
  const row = await db
    .selectFrom('endpoint')
    .select('state_json')
    .where('id', '=', endpointId)
    .executeTakeFirst()
  const state: EndpointState | null = JSON.parse(row?.state_json ?? 'null')
  return new Set(state?.reasons.flatMap(({ evidence }) => evidence) ?? [])
}

/** Keeps looks for as long as what cites them. */
export async function keepCited({ db }: Tx, endpoint: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('look')
    .set({ is_cited: 1 })
    .where('endpoint_id', 'in', (eb) =>
      eb.selectFrom('endpoint').select('endpoint.id').where('url', '=', endpoint),
    )
    .where('look.id', 'in', [...ids])
    .execute()
}

/** Selects probes by time, both ends inclusive, the newest of them, or by id. */
export type ObservationRange = {
  readonly from?: Time
  readonly to?: Time
  readonly newest?: number
  /** Bound of the live checks, which `newest` then does not count. @default `newest` counts all */
  readonly newestLive?: number | undefined
  readonly ids?: readonly string[]
}

/** As `split` writes it. A seller's text cannot contain it, since JSON escapes quotes. */
const LIVE = '%"purpose":"live"%'

/**
 * Reads the probes of an endpoint, oldest first. Equal times keep the order of writing. Their shapes are shared.
 * @param range @default all that are kept
 */
export async function readObservations(
  { db }: Reader,
  endpoint: string,
  { from, to, newest, newestLive, ids }: ObservationRange = {},
): Promise<Observation[]> {
  if (ids?.length === 0) return []
  const known = await db
    .selectFrom('endpoint')
    .select(['id', 'host'])
    .where('url', '=', endpoint)
    .executeTakeFirst()
  if (known === undefined) return []
  const found = db
    .selectFrom('look')
    .select(['at', 'n', 'id', 'client', 'latency_ms', 'asked_at', 'gap_ms', 'shape'])
    .where('endpoint_id', '=', known.id)
    .$if(from !== undefined, (query) => query.where('at', '>=', from ?? 0))
    .$if(to !== undefined, (query) => query.where('at', '<=', to ?? 0))
    .$if(ids !== undefined, (query) => query.where('id', 'in', [...(ids ?? [])]))
    .orderBy('at', 'desc')
    .orderBy('n', 'desc')
  const live = db
    .selectFrom('shape')
    .select('shape.n')
    .where('endpoint_id', '=', known.id)
    .where('shape_json', 'like', LIVE)
  const limited = (query: typeof found, limit: number | undefined) =>
    query.$if(limit !== undefined, (one) => one.limit(limit ?? 0)).execute()
  // Of few endpoints a live check was ever bought.
  const hasLive = newestLive !== undefined && (await live.limit(1).executeTakeFirst()) !== undefined
  const rows = hasLive
    ? [
        ...(await limited(found.where('shape', 'not in', live), newest)),
        ...(await limited(found.where('shape', 'in', live), newestLive)),
      ].sort((a, b) => b.at - a.at || b.n - a.n)
    : await limited(found, newest)
  const numbers = [...new Set(rows.map(({ shape }) => shape))]
  const shapes = new Map<number, Shape & Pick<Observation, 'endpoint' | 'host'>>()
  for (const some of slicesOf(numbers)) {
    const read = await db
      .selectFrom('shape')
      .select(['n', 'shape_json'])
      .where('endpoint_id', '=', known.id)
      .where('n', 'in', some)
      .execute()
    for (const { n, shape_json } of read)
      shapes.set(n, { ...(JSON.parse(shape_json) as Shape), endpoint, host: known.host })
  }
  return rows.reverse().flatMap((row): Observation[] => {
    const shape = shapes.get(row.shape)
    if (shape === undefined) return []
    const { id, at, client, latency_ms: latencyMs, asked_at: askedAt, gap_ms: gapMs } = row
    const observation = { ...shape, id, at, client, latencyMs, ...(gapMs !== null && { gapMs }) }
    if (shape.resourceAsked !== undefined && askedAt !== null)
      observation.resourceAsked = { ...shape.resourceAsked, at: askedAt }
    return [observation]
  })
}

/** Reads the probes of these ids, if they are kept; those that incidents cite outlive the retention. */
export function readCited(
  reader: Reader,
  endpoint: string,
  ids: readonly string[],
): Promise<readonly Observation[]> {
  return readObservations(reader, endpoint, { ids })
}

/** Adds or replaces days of an endpoint. */
export async function putDays(
  { db }: Tx,
  endpointId: number,
  days: readonly DailyMeasurements[],
): Promise<void> {
  for (const { date, up, down, notMeasured, latencyMsP50, latencyMsP90 } of days) {
    const counts = { up, down, not_measured: notMeasured, p50_ms: latencyMsP50, p90_ms: latencyMsP90 }
    await db
      .insertInto('day')
      .values({ endpoint_id: endpointId, date, ...counts })
      .onConflict((on) => on.columns(['endpoint_id', 'date']).doUpdateSet(counts))
      .execute()
  }
}

/** Reads the days of an endpoint, oldest first, which are kept for ever. */
export async function readDays({ db }: Reader, endpoint: string): Promise<DailyMeasurements[]> {
  const rows = await db
    .selectFrom('day')
    .innerJoin('endpoint', 'endpoint.id', 'day.endpoint_id')
    .select(['host', 'date', 'up', 'down', 'not_measured', 'p50_ms', 'p90_ms'])
    .where('url', '=', endpoint)
    .orderBy('date')
    .execute()
  return rows.map(({ host, date, up, down, not_measured, p50_ms, p90_ms }) => ({
    endpoint,
    host,
    date,
    up,
    down,
    notMeasured: not_measured,
    latencyMsP50: p50_ms,
    latencyMsP90: p90_ms,
  }))
}
