import { networkAddressKey, siteOfHost } from '@touchstone402/shared'
import type { DailyMeasurements } from '../facts/dailyMeasurements.ts'
import type { Fact, Listing, Observation, Time } from '../facts/facts.ts'
import { groupBy } from '../facts/groupBy.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { decisionKey, type NewLeaf } from '../facts/leaves.ts'
import { searchable } from '../facts/searchable.ts'
import { LeaseLostError } from '../facts/storeError.ts'
import { addFact, addListing, readControl } from './facts.ts'
import { refreshHost } from './hosts.ts'
import { isHeld, type Lease } from './leases.ts'
import { addLeaves } from './log.ts'
import { addObservations, putDays } from './observations.ts'
import { slicesOf } from './slices.ts'
import type { Changed, Reader, Tx } from './tx.ts'

/** Records that are written in one step with an endpoint's state. */
export type Written = {
  readonly facts: readonly Fact[]
  /** Days of the endpoint that its new probes touch; a known day is replaced. */
  readonly days: readonly DailyMeasurements[]
  /** Leaves that tell of it in the log. @default none */
  readonly leaves?: readonly NewLeaf[]
  /** Lease of the host under which it was found; nothing is written if it is lost. @default none is needed */
  readonly lease?: Lease
}

/** An endpoint's state as it is read. */
export type StoredState = {
  readonly state: EndpointState
  /** Leaf of the log that covers the newest logged decision; null while it waits for its place. @default never logged */
  readonly logIndex?: number | null
}

/** Number of endpoints that are kept of a host, and of a registrable domain, for their listings. */
export const MOST_OF_HOST = 500
export const MOST_OF_DOMAIN = 2000

/**
 * Appends facts. The endpoint of a listing that is neither judged nor listed yet becomes due at the listing's time; it is left
 * out where its host or registrable domain has as many as are kept. Changes, incidents and reports replace an earlier state of
 * the same id or date. With a report that counts accuracy the verdicts are noted that stand at its time.
 * @param leaves tell of the facts in the log. @default none
 * @returns the number of listings that were left out
 */
export const append = (tx: Tx, facts: readonly Fact[], leaves: readonly NewLeaf[] = []): Promise<number> =>
  addFacts(tx, openBook(tx), facts, leaves)

async function addFacts(
  tx: Tx,
  book: Book,
  facts: readonly Fact[],
  leaves: readonly NewLeaf[],
): Promise<number> {
  let leftOut = 0
  const observations: Observation[] = []
  for (const fact of facts) {
    if (fact.kind === 'observation') observations.push(fact)
    else if (fact.kind !== 'listing') await addFact(tx, fact, book.idOf)
    else if (!(await addListed(tx, fact, book))) leftOut++
  }
  const isControl = ({ purpose }: Observation) => purpose === 'control'
  for (const [endpoint, own] of groupBy(
    observations.filter((observation) => !isControl(observation)),
    (observation) => observation.endpoint,
  ))
    await addObservations(tx, await book.idOf(endpoint, own[0]?.host ?? ''), own)
  for (const control of observations.filter(isControl)) await putControl(tx, control)
  await addLeaves(tx, leaves)
  return leftOut
}

type Book = ReturnType<typeof openBook>

/** Finds endpoints by their URLs and counts those of hosts, each once; other transactions that write of them wait. */
function openBook({ db, dialect }: Tx) {
  const ids = new Map<string, number>()
  const counts = new Map<string, number>()
  const count = async (column: 'host' | 'domain', value: string): Promise<number> => {
    const key = `${column} ${value}`
    const known = counts.get(key)
    if (known !== undefined) return known
    const query = db.selectFrom('endpoint').select(({ fn }) => fn.countAll<number>().as('count'))
    const found = await query.where(column, '=', value).executeTakeFirstOrThrow()
    counts.set(key, found.count)
    return found.count
  }
  const countOne = (key: string) => {
    const known = counts.get(key)
    if (known !== undefined) counts.set(key, known + 1)
  }
  const find = async (url: string): Promise<number | undefined> => {
    const known = ids.get(url)
    if (known !== undefined) return known
    const row = await db
      .selectFrom('endpoint')
      .select('id')
      .where('url', '=', url)
      .$if(dialect.name === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst()
    if (row !== undefined) ids.set(url, row.id)
    return row?.id
  }
  const add = async (url: string, host: string): Promise<number> => {
    const domain = siteOfHost(host)
    await db
      .insertInto('host')
      .values({ name: host, domain })
      .onConflict((on) => on.doNothing())
      .execute()
    // Another process may add it at the same time.
    const { id } = await db
      .insertInto('endpoint')
      .values({ url, host, domain })
      .onConflict((on) => on.column('url').doUpdateSet({ url }))
      .returning('id')
      .executeTakeFirstOrThrow()
    ids.set(url, id)
    countOne(`host ${host}`)
    countOne(`domain ${domain}`)
    return id
  }
  return {
    find,
    idOf: async (url: string, host: string) => (await find(url)) ?? (await add(url, host)),
    isFull: async (host: string) =>
      (await count('host', host)) >= MOST_OF_HOST ||
      (await count('domain', siteOfHost(host))) >= MOST_OF_DOMAIN,
  }
}

/** Adds a listing. Returns false if its endpoint is one too many. */
async function addListed(tx: Tx, listing: Listing, book: Book): Promise<boolean> {
  const { db } = tx
  const { endpoint, host, at } = listing
  if ((await book.find(endpoint)) === undefined && (await book.isFull(host))) return false
  const id = await book.idOf(endpoint, host)
  await addListing(tx, id, listing)
  const due = await db
    .updateTable('endpoint')
    .set({ listed_at: at, due_at: (eb) => eb.fn.coalesce('due_at', eb.val(at)) })
    .where('id', '=', id)
    .returning('due_at')
    .executeTakeFirstOrThrow()
  // A host that waits keeps its turn.
  const { due_at } = due
  if (due_at !== null)
    await db
      .updateTable('host')
      .set({ due_at })
      .where('name', '=', host)
      .where((eb) => eb.or([eb('due_at', 'is', null), eb('due_at', '>', due_at)]))
      .execute()
  return true
}

async function putControl({ db }: Tx, control: Observation): Promise<void> {
  const { host, at } = control
  const known = await readControl({ db }, host)
  if (known !== undefined && known.at > at) return
  const row = { control_json: JSON.stringify(control) }
  await db
    .insertInto('host')
    .values({ name: host, domain: siteOfHost(host), ...row })
    .onConflict((on) => on.column('name').doUpdateSet(row))
    .execute()
}

/** Kinds of facts that feeds list. */
const NEWS: ReadonlySet<Fact['kind']> = new Set(['change', 'incident'])

const NOTHING_WRITTEN: Written = { facts: [], days: [] }

/** Replaces an endpoint's state, together with its new facts. */
export async function putEndpoint(
  tx: Tx,
  state: EndpointState,
  { facts, days, leaves = [], lease }: Written = NOTHING_WRITTEN,
): Promise<void> {
  const { db, dialect } = tx
  if (lease !== undefined && !(await isHeld(tx, lease)))
    throw new LeaseLostError(`The lease of ${lease.name} is lost`)
  const { endpoint, host, derivedAt } = state
  // Two endpoints of a host that are written at once would each count the host without the other.
  if (dialect.name === 'postgres')
    await db.selectFrom('host').select('name').where('name', '=', host).forUpdate().execute()
  const book = openBook(tx)
  await addFacts(tx, book, facts, leaves)
  const id = await book.idOf(endpoint, host)
  await putDays(tx, id, days)
  const { row, verdict, status, score } = tx.derive.rowOf(state, derivedAt)
  await db
    .updateTable('endpoint')
    .set({
      due_at: state.nextProbeAt,
      verdict,
      status,
      score,
      expires_at: state.expiresAt,
      dark_since: status === 'dark' ? state.darkSince : null,
      derived_at: derivedAt,
      category: state.category === null ? null : searchable(state.category),
      price_usd: state.priceUsd,
      stability: state.receiverStability,
      receiver_profile: state.receiverProfile,
      receiver: receiverOf(state),
      flags_json: JSON.stringify(state.flags),
      listed_by_json: JSON.stringify(state.listedBy),
      unhealthy_in_json: JSON.stringify(row.unhealthyIn),
      row_json: JSON.stringify(row),
      state_json: JSON.stringify(state),
      terms_json: JSON.stringify(state.terms),
    })
    .where('id', '=', id)
    .execute()
  await refreshHost(tx, host, derivedAt)
  tx.changed({ host, endpoint, hasNews: facts.some(({ kind }) => NEWS.has(kind)) })
}

const receiverOf = ({ network, payTo }: EndpointState) =>
  network === null || payTo === null ? null : searchable(networkAddressKey(network, payTo))

/** Records that a directory still lists endpoints. */
export async function noteListed({ db }: Tx, endpoints: readonly string[], at: Time): Promise<void> {
  for (const urls of slicesOf(endpoints))
    await db.updateTable('endpoint').set({ listed_at: at }).where('url', 'in', urls).execute()
}

/** Endpoints that are dropped in one unit. */
const DROPPED_AT_ONCE = 100

/**
 * Drops endpoints that are dark since a time and that no directory has listed since another, except those under an open
 * incident. Returns their number.
 */
export async function dropDead(tx: Tx, darkSince: Time, listedSince: Time): Promise<number> {
  const { db } = tx
  const dead = await db
    .selectFrom('endpoint')
    .select(['id', 'url', 'host', 'derived_at'])
    .where('dark_since', '<', darkSince)
    .where((eb) => eb.or([eb('listed_at', 'is', null), eb('listed_at', '<', listedSince)]))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('incident')
            .select('incident.id')
            .whereRef('incident.endpoint', '=', 'endpoint.url')
            .where('is_open', '=', 1),
        ),
      ),
    )
    .limit(DROPPED_AT_ONCE)
    .execute()
  for (const { id, url, host, derived_at } of dead) {
    for (const table of ['look', 'shape', 'day', 'listing', 'purchase'] as const)
      await db.deleteFrom(table).where('endpoint_id', '=', id).execute()
    await db.deleteFrom('endpoint').where('id', '=', id).execute()
    await refreshHost(tx, host, derived_at ?? 0)
    tx.changed({ host, endpoint: url, hasNews: false })
  }
  return dead.length
}

/** Reads an endpoint's state, and the place of its newest logged decision. */
export async function readState({ db }: Reader, endpoint: string): Promise<StoredState | undefined> {
  const row = await db
    .selectFrom('endpoint')
    .select((eb) => [
      'state_json',
      eb
        .selectFrom('log_leaf')
        .select(({ fn, lit }) => fn.coalesce('place', lit(-1)).as('place'))
        .where('key', '=', decisionKey(endpoint))
        .orderBy('id', 'desc')
        .limit(1)
        .as('place'),
    ])
    .where('url', '=', endpoint)
    .executeTakeFirst()
  if (row?.state_json == null) return undefined
  const state: EndpointState = JSON.parse(row.state_json)
  return row.place === null ? { state } : { state, logIndex: row.place < 0 ? null : row.place }
}

/** Reads the time of the newest judgement; null without any. */
export async function readNewestAt({ db }: Reader): Promise<Time | null> {
  const query = db.selectFrom('endpoint').select(({ fn }) => fn.max('derived_at').as('at'))
  return (await query.executeTakeFirst())?.at ?? null
}

/** Counts the endpoints that were judged after a time, and reads those of them, or never judged, that are due after `due`. */
export async function readJudgedAfter(
  { db }: Reader,
  time: Time,
  due: Time,
  limit: number,
): Promise<{ count: number; notDue: Omit<Changed, 'hasNews'>[] }> {
  const { count } = await db
    .selectFrom('endpoint')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('derived_at', '>', time)
    .executeTakeFirstOrThrow()
  const late = db
    .selectFrom('endpoint')
    .select(['host', 'url as endpoint'])
    .where('due_at', '>', due)
    .limit(limit)
  const judged = await late.where('derived_at', '>', time).execute()
  const unjudged = await late.where('derived_at', 'is', null).execute()
  return { count, notDue: [...judged, ...unjudged] }
}
