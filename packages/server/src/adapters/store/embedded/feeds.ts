import type { Change, Incident } from '@touchstone402/shared'
import type { PublishedChange, PublishedIncident, Time } from '../../../domain/facts/facts.ts'
import { DAY } from '../../../domain/facts/times.ts'
import type { FeedPage, FeedQuery } from '../../../ports/store.ts'
import type { Transaction } from './createWriter.ts'
import { between, type Key, keyOf, MAX_TIME, openText, type Range, text, time, uint, within } from './keys.ts'
import { type Committed, collect, fromBytes, read, type Source, toBytes } from './source.ts'

type Published = PublishedChange | PublishedIncident

/** Position of a record in its feed; later states of the record keep it. */
type Position = {
  readonly at: Time
  readonly sequence: number
  readonly host: string
  readonly endpoint: string
  readonly isOpen: boolean
}

/** All records of a feed, or the open ones. */
type Scope = 'a' | 'o'

const SEQUENCE_BYTES = 6
const DAY_BYTES = 4

const feedOf = (kind: Published['kind']) => (kind === 'change' ? 'c' : 'i')

const orderOf = ({ at, sequence }: Position) => time(at) + uint(sequence, SEQUENCE_BYTES)
const recordsPrefix = (kind: Published['kind'], endpoint: string) => keyOf('e', text(endpoint), feedOf(kind))
const dayPrefix = (kind: Published['kind'], scope: Scope) => keyOf('T', feedOf(kind), scope)
const dayKey = (kind: Published['kind'], scope: Scope, at: Time) =>
  dayPrefix(kind, scope) + uint(Math.max(0, Math.floor(at / DAY)), DAY_BYTES)

/** Prefix of the index that a query reads. */
function indexPrefix(
  kind: Published['kind'],
  scope: Scope,
  { host, endpoint }: { readonly host?: string; readonly endpoint?: string },
): Key {
  if (endpoint !== undefined) return keyOf('E', feedOf(kind), scope, text(endpoint))
  return host === undefined ? keyOf('g', feedOf(kind), scope) : keyOf('G', feedOf(kind), scope, text(host))
}

/** Adds a record to its feed, or replaces its earlier state. */
export async function putPublished(tx: Transaction, fact: Published): Promise<void> {
  const { kind } = fact
  const record = fact.kind === 'change' ? fact.change : fact.incident
  const positionKey = keyOf('F', feedOf(kind), text(record.id))
  const before = await read<Position>(tx, positionKey)
  const position: Position = {
    at: timeOf(fact),
    sequence: before?.sequence ?? tx.nextSequence(),
    host: record.host,
    endpoint: record.endpoint,
    isOpen: fact.kind === 'incident' && fact.incident.status === 'open',
  }
  if (before) leave(tx, kind, before)
  enter(tx, kind, position)
  tx.put(positionKey, toBytes(position))
  tx.put(recordsPrefix(kind, position.endpoint) + orderOf(position), toBytes(fact))
}

function leave(tx: Transaction, kind: Published['kind'], position: Position): void {
  tx.delete(recordsPrefix(kind, position.endpoint) + orderOf(position))
  for (const scope of scopesOf(position)) {
    tx.add(dayKey(kind, scope, position.at), -1)
    for (const key of indexKeys(kind, scope, position)) tx.delete(key)
  }
}

function enter(tx: Transaction, kind: Published['kind'], position: Position): void {
  const value = Buffer.from(openText(position.endpoint), 'latin1')
  for (const scope of scopesOf(position)) {
    tx.add(dayKey(kind, scope, position.at), 1)
    for (const key of indexKeys(kind, scope, position)) tx.put(key, value)
  }
}

const scopesOf = ({ isOpen }: Position): readonly Scope[] => (isOpen ? ['a', 'o'] : ['a'])

function indexKeys(kind: Published['kind'], scope: Scope, position: Position): Key[] {
  const { host, endpoint } = position
  return [{}, { host }, { endpoint }].map((of) => indexPrefix(kind, scope, of) + orderOf(position))
}

/** Returns the records of an endpoint, oldest first. */
export function recordsOf<T extends Published>(
  source: Source,
  kind: T['kind'],
  endpoint: string,
): Promise<T[]> {
  return collect(source, within(recordsPrefix(kind, endpoint)), (bytes) => fromBytes<T>(bytes))
}

/** Reads a page of the changes. */
export async function readChanges(source: Committed, query: FeedQuery): Promise<FeedPage<Change>> {
  const { facts, total } = await readPage<PublishedChange>(source, 'change', query)
  return { records: facts.map(({ change }) => change), total }
}

/** Reads a page of the incidents. */
export async function readIncidents(source: Committed, query: FeedQuery): Promise<FeedPage<Incident>> {
  const { facts, total } = await readPage<PublishedIncident>(source, 'incident', query)
  return { records: facts.map(({ incident }) => incident), total }
}

/** Reads the latest state of one incident. */
export async function readIncident(source: Source, id: string): Promise<Incident | undefined> {
  const position = await read<Position>(source, keyOf('F', feedOf('incident'), text(id)))
  if (position === undefined) return undefined
  const key = recordsPrefix('incident', position.endpoint) + orderOf(position)
  return (await read<PublishedIncident>(source, key))?.incident
}

async function readPage<T extends Published>(source: Committed, kind: T['kind'], query: FeedQuery) {
  const { since, limit, host, endpoint } = query
  const scope = kind === 'incident' && query.open === true ? 'o' : 'a'
  const prefix = indexPrefix(kind, scope, query)
  const range = between(prefix, since, MAX_TIME)
  const places = await collect(
    source,
    await behind(source, kind, query.after, prefix, range),
    (value, key) => keyOf('e', value.toString('latin1'), '\0', feedOf(kind), key.slice(prefix.length)),
    { reverse: true, limit },
  )
  const values = await source.getMany(places)
  const facts = values.flatMap((value) => (value ? [fromBytes<T>(value)] : []))
  const isGlobal = host === undefined && endpoint === undefined
  const total = isGlobal ? await countSince(source, kind, scope, since) : await source.count(range)
  // The records of an endpoint are all of one host.
  const isElsewhere = host !== undefined && endpoint !== undefined && hostOf(facts[0]) !== host
  return isElsewhere ? { facts: [], total: 0 } : { facts, total }
}

/** Ends a range before a record, so that what is older remains. */
async function behind(
  source: Source,
  kind: Published['kind'],
  after: FeedQuery['after'],
  prefix: Key,
  { gte, lt }: Range,
): Promise<Range> {
  if (after === undefined) return { gte, lt }
  const position = await read<Position>(source, keyOf('F', feedOf(kind), text(after.id)))
  const end = prefix + (position === undefined ? time(after.at) : orderOf(position))
  return { gte, lt: end < lt ? end : lt }
}

/** Counts the records since a time: by day, and those of the first day one by one. */
async function countSince(
  source: Committed,
  kind: Published['kind'],
  scope: Scope,
  since: Time,
): Promise<number> {
  const from = Math.max(0, since)
  const wholeFrom = Math.ceil(from / DAY) * DAY
  const range = { gte: dayKey(kind, scope, wholeFrom), lt: within(dayPrefix(kind, scope)).lt }
  const days = await collect(source, range, Number)
  const part = await source.count(between(keyOf('g', feedOf(kind), scope), from, wholeFrom - 1))
  return days.reduce((sum, day) => sum + day, part)
}

function hostOf(fact: Published | undefined): string | undefined {
  if (fact === undefined) return undefined
  return fact.kind === 'change' ? fact.change.host : fact.incident.host
}

function timeOf(fact: Published): Time {
  return Date.parse(fact.kind === 'change' ? fact.change.at : fact.incident.detectedAt)
}
